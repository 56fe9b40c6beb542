package io.inferwatch.probes.gpu.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * NVML, loaded and initialised, until it is closed. One thread at a time. Nothing is thrown after {@link #open}: every call answers a value or the status that says why
 * there is none.
 */
public final class Nvml implements AutoCloseable {
    /** The name under which drivers install it. The shorter one without a number comes with development packages only. */
    public static final String LIBRARY = "libnvidia-ml.so.1";

    private static final long XID_EVENT = 8;
    private static final long EVENT_BYTES = 32;
    private static final int EVENT_LIMIT = 256;

    private final NvmlLibrary library;
    private final Memory event = new Memory(EVENT_BYTES);
    private @Nullable Pointer eventSet;

    /** A critical error that a driver reported: what, and on which device. */
    public record Xid(String gpu, long code) {}

    private Nvml(NvmlLibrary library) {
        this.library = library;
    }

    /**
     * Loads and initialises it.
     *
     * @param library {@link #LIBRARY}, or the path of a file
     * @throws NvmlException when it is not there or cannot be initialised
     */
    public static Nvml open(String library) throws NvmlException {
        NvmlLibrary loaded = NvmlLibrary.load(library);
        NvmlStatus status = loaded.call("nvmlInit_v2");
        if (status != NvmlStatus.SUCCESS) {
            loaded.dispose();
            throw new NvmlException(status, notInitialised(status));
        }
        return new Nvml(loaded);
    }

    /** The driver's version. */
    public Answer<String> driverVersion() {
        return library.text("nvmlSystemGetDriverVersion");
    }

    /** How many devices there are, those that cannot be reached at present perhaps not counted. */
    public Answer<Integer> deviceCount() {
        return library.uint("nvmlDeviceGetCount_v2").map(Long::intValue);
    }

    /** The device of that number. */
    public Answer<NvmlDevice> device(int index) {
        return library.handle("nvmlDeviceGetHandleByIndex_v2", index).map(handle -> new NvmlDevice(library, handle));
    }

    /** Asks for the device's critical errors from now on. */
    public NvmlStatus watchXids(NvmlDevice device) {
        if (eventSet == null) {
            Answer<Pointer> made = library.handle("nvmlEventSetCreate");
            if (!(made instanceof Answer.Value<Pointer> set)) {
                return made.status();
            }
            eventSet = set.value();
        }
        return library.call("nvmlDeviceRegisterEvents", device.handle(), XID_EVENT, eventSet);
    }

    /** The critical errors since the last call, without waiting for any. */
    public List<Xid> takeXids() {
        List<Xid> xids = new ArrayList<>();
        while (eventSet != null && xids.size() < EVENT_LIMIT) {
            event.clear();
            if (library.call("nvmlEventSetWait_v2", eventSet, event, 0) != NvmlStatus.SUCCESS) {
                break;
            }
            Pointer handle = event.getPointer(0);
            if (event.getLong(8) == XID_EVENT
                    && new NvmlDevice(library, handle).uuid() instanceof Answer.Value<String> uuid) {
                xids.add(new Xid(uuid.value(), event.getLong(16)));
            }
        }
        return xids;
    }

    @Override
    public void close() {
        if (eventSet != null) {
            var unused = library.call("nvmlEventSetFree", eventSet);
            eventSet = null;
        }
        var unused = library.call("nvmlShutdown");
        // A driver that was exchanged brings its own library: the next one to open loads it anew.
        library.dispose();
    }

    private static String notInitialised(NvmlStatus status) {
        return Map.of(
                        NvmlStatus.DRIVER_NOT_LOADED,
                        "NVML: no NVIDIA driver is loaded; GPU fields will be empty",
                        NvmlStatus.LIB_RM_VERSION_MISMATCH,
                        "NVML: driver/library mismatch, restart needed: the driver was changed under this host or container")
                .getOrDefault(status, "NVML cannot be initialised: " + status.describe());
    }
}
