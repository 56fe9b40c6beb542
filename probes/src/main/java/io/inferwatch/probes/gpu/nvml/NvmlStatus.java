package io.inferwatch.probes.gpu.nvml;

import java.util.Locale;

/** What NVML returns from a call, by its number there. */
public enum NvmlStatus {
    /** The call did what it says. */
    SUCCESS(0),
    /** NVML was not initialised, or no longer is. */
    UNINITIALIZED(1),
    /** An argument makes no sense to it; also the handle of a MIG instance that is gone. */
    INVALID_ARGUMENT(2),
    /** The device does not have it. */
    NOT_SUPPORTED(3),
    /** It is for root, or for the host alone. */
    NO_PERMISSION(4),
    /** Initialised twice. */
    ALREADY_INITIALIZED(5),
    /** There is no such thing. */
    NOT_FOUND(6),
    /** The buffer is too small. */
    INSUFFICIENT_SIZE(7),
    /** A power cable is missing. */
    INSUFFICIENT_POWER(8),
    /** No driver is loaded. */
    DRIVER_NOT_LOADED(9),
    /** Nothing came in the time given. */
    TIMEOUT(10),
    /** Interrupts do not arrive. */
    IRQ_ISSUE(11),
    /** The library is not there, or cannot be loaded. */
    LIBRARY_NOT_FOUND(12),
    /** The library is too old for this call. */
    FUNCTION_NOT_FOUND(13),
    /** The board's memory of itself is corrupt. */
    CORRUPTED_INFOROM(14),
    /** The device has fallen off the bus. */
    GPU_IS_LOST(15),
    /** The device must be reset before it can be used again. */
    RESET_REQUIRED(16),
    /** The kernel or a control group refused. */
    OPERATING_SYSTEM(17),
    /** Driver and library are of different versions. */
    LIB_RM_VERSION_MISMATCH(18),
    /** Somebody else uses it. */
    IN_USE(19),
    /** No memory. */
    MEMORY(20),
    /** There is no reading yet. */
    NO_DATA(21),
    /** Not on a virtual GPU with ECC. */
    VGPU_ECC_NOT_SUPPORTED(22),
    /** Not enough of something. */
    INSUFFICIENT_RESOURCES(23),
    /** No such clock. */
    FREQ_NOT_SUPPORTED(24),
    /** The structure's version is not known to the library. */
    ARGUMENT_VERSION_MISMATCH(25),
    /** The call is withdrawn. */
    DEPRECATED(26),
    /** Not yet. */
    NOT_READY(27),
    /** No device of that description. */
    GPU_NOT_FOUND(28),
    /** Not in this state. */
    INVALID_STATE(29),
    /** Anything else, and the only answer once a container has lost its devices. */
    UNKNOWN(999);

    private final int code;

    NvmlStatus(int code) {
        this.code = code;
    }

    /** The status of that number; {@link #UNKNOWN} for one that is not known here. */
    static NvmlStatus of(int code) {
        // Numbers are dense up to the last but one.
        return code >= 0 && code < values().length - 1 ? values()[code] : UNKNOWN;
    }

    /** Whether it says that the device, not one reading of it, is gone. */
    public boolean isDeviceGone() {
        return this == GPU_IS_LOST || this == RESET_REQUIRED;
    }

    /** Whether it says that this device or library has no such reading, now or later. */
    public boolean isLacking() {
        return switch (this) {
            case NOT_SUPPORTED,
                    FUNCTION_NOT_FOUND,
                    NO_PERMISSION,
                    ARGUMENT_VERSION_MISMATCH,
                    DEPRECATED,
                    VGPU_ECC_NOT_SUPPORTED -> true;
            default -> false;
        };
    }

    /** Words and number, as in {@code not supported (3)}. */
    public String describe() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ') + " (" + code + ")";
    }
}
