package io.inferwatch.probes.gpu.nvml;

import com.sun.jna.Memory;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What one call for many numbers answered, each with a status of its own. */
public final class NvmlFields {
    private static final int BYTES = 40;
    private static final int ALL_LINKS = -1;

    private final Map<Field, Answer<Long>> answers;

    /** A number that is asked for by its id. */
    public enum Field {
        /** Flow-control CRC errors, all links. */
        NVLINK_FLIT_CRC(38),
        /** Data CRC errors, all links. */
        NVLINK_DATA_CRC(45),
        /** Replays, all links. */
        NVLINK_REPLAYS(52),
        /** Recoveries, all links. */
        NVLINK_RECOVERIES(59),
        /** Temperature of the memory. */
        MEMORY_TEMPERATURE(82),
        /** Speed of each NVLink one way, megabytes per second. */
        NVLINK_SPEED(90),
        /** How many NVLinks there are. */
        NVLINK_COUNT(91),
        /** Sent by NVLink, KiB, all links. */
        NVLINK_SENT(138),
        /** Received by NVLink, KiB, all links. */
        NVLINK_RECEIVED(139),
        /** Sent by PCIe, bytes. */
        PCIE_SENT(197),
        /** Received by PCIe, bytes. */
        PCIE_RECEIVED(198);

        private final int id;

        Field(int id) {
            this.id = id;
        }

        private boolean isOfLinks() {
            return this == NVLINK_SENT || this == NVLINK_RECEIVED;
        }

        private boolean isBytes() {
            return this == PCIE_SENT || this == PCIE_RECEIVED;
        }
    }

    private NvmlFields(Map<Field, Answer<Long>> answers) {
        this.answers = answers;
    }

    static NvmlFields read(NvmlDevice device, List<Field> wanted) {
        Memory values = new Memory((long) BYTES * wanted.size());
        values.clear();
        for (int i = 0; i < wanted.size(); i++) {
            values.setInt((long) i * BYTES, wanted.get(i).id);
            values.setInt((long) i * BYTES + 4, wanted.get(i).isOfLinks() ? ALL_LINKS : 0);
        }
        NvmlStatus whole = device.library().call("nvmlDeviceGetFieldValues", device.handle(), wanted.size(), values);
        Map<Field, Answer<Long>> answers = new EnumMap<>(Field.class);
        for (int i = 0; i < wanted.size(); i++) {
            answers.put(
                    wanted.get(i),
                    whole == NvmlStatus.SUCCESS
                            ? value(wanted.get(i), values, (long) i * BYTES)
                            : new Answer.Refused<>(whole));
        }
        return new NvmlFields(answers);
    }

    /** The number, or why there is none. */
    public Answer<Long> of(Field field) {
        return answers.getOrDefault(field, new Answer.Refused<>(NvmlStatus.NOT_FOUND));
    }

    private static Answer<Long> value(Field field, Memory values, long at) {
        NvmlStatus status = NvmlStatus.of(values.getInt(at + 28));
        if (status != NvmlStatus.SUCCESS) {
            return new Answer.Refused<>(status);
        }
        int type = values.getInt(at + 24);
        boolean isNarrow = type == 1 || type == 5 || type == 6;
        if (isNarrow && field.isBytes()) {
            // 4 GiB pass within a second: how often such a counter went round is anybody's guess.
            return new Answer.Refused<>(NvmlStatus.NOT_SUPPORTED);
        }
        return new Answer.Value<>(
                switch (type) {
                    case 0 -> (long) values.getDouble(at + 32);
                    case 1 -> Integer.toUnsignedLong(values.getInt(at + 32));
                    case 5 -> (long) values.getInt(at + 32);
                    case 6 -> Short.toUnsignedLong(values.getShort(at + 32));
                    default -> values.getLong(at + 32);
                });
    }
}
