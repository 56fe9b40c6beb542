package io.inferwatch.jobs.detect;

import io.inferwatch.jobs.ingest.InboundRecord;
import io.inferwatch.schemas.EventCodec;
import io.inferwatch.schemas.Setting;
import io.inferwatch.schemas.UndecodableEventException;
import io.inferwatch.schemas.catalogue.MetricCatalogue;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReadOnlyBroadcastState;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * The configuration topic as broadcast state, and what it makes of the catalogue. A setting that is wrong is counted and left out; the
 * one before it, of the same key, holds on. Not thread safe.
 */
final class LiveSettings {
    /** Settings as they lie in the topic, by key. */
    static final MapStateDescriptor<String, byte[]> STATE =
            new MapStateDescriptor<>("settings", Types.STRING, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);

    private final MetricCatalogue catalogue;
    private final EventCodec codec = new EventCodec();
    private final Counter refused;
    private @Nullable Configuration present;

    LiveSettings(MetricCatalogue catalogue, MetricGroup group) {
        this.catalogue = catalogue;
        this.refused = group.counter("settings_refused_total");
    }

    /** What holds now. */
    Configuration present(ReadOnlyBroadcastState<String, byte[]> state) throws Exception {
        if (present == null) {
            List<Setting> settings = new ArrayList<>();
            for (Map.Entry<String, byte[]> entry : state.immutableEntries()) {
                settings.add(codec.decode(entry.getValue(), Setting.class));
            }
            present = Configuration.of(catalogue, settings);
        }
        return present;
    }

    /** Takes a setting, or takes it back. */
    void take(InboundRecord record, BroadcastState<String, byte[]> state) throws Exception {
        byte[] value = record.value();
        if (value == null) {
            state.remove(key(record));
        } else if (isRight(value, catalogue, codec)) {
            state.put(key(record), value);
        } else {
            refused.inc();
        }
        present = null;
    }

    /** The key under which a setting lies in the topic. */
    static String key(InboundRecord record) {
        return record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
    }

    /** Whether a setting can be understood. */
    static boolean isRight(byte[] value, MetricCatalogue catalogue, EventCodec codec) {
        try {
            Configuration.of(catalogue, List.of(codec.decode(value, Setting.class)));
            return true;
        } catch (UndecodableEventException | IllegalArgumentException | InvalidSettingsException e) {
            return false;
        }
    }
}
