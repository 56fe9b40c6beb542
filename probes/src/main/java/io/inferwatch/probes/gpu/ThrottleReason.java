package io.inferwatch.probes.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Why a driver lowers clocks, by the bit in which it says so; DCGM has the same bits. */
public enum ThrottleReason {
    GPU_IDLE(0x1, false),
    APPLICATIONS_CLOCKS_SETTING(0x2, false),
    SW_POWER_CAP(0x4, true),
    HW_SLOWDOWN(0x8, true),
    SYNC_BOOST(0x10, true),
    SW_THERMAL_SLOWDOWN(0x20, true),
    HW_THERMAL_SLOWDOWN(0x40, true),
    HW_POWER_BRAKE_SLOWDOWN(0x80, true),
    DISPLAY_CLOCK_SETTING(0x100, false);

    private final long bit;
    private final boolean costsSpeed;

    ThrottleReason(long bit, boolean costsSpeed) {
        this.bit = bit;
        this.costsSpeed = costsSpeed;
    }

    /** The reasons as in {@code sw-power-cap}; bits of newer drivers are {@code other}. */
    public static List<String> labels(long bits) {
        List<String> labels = new ArrayList<>();
        long rest = bits;
        for (ThrottleReason reason : values()) {
            if ((bits & reason.bit) != 0) {
                labels.add(reason.name().toLowerCase(Locale.ROOT).replace('_', '-'));
                rest &= ~reason.bit;
            }
        }
        if (rest != 0) {
            labels.add("other");
        }
        return labels;
    }

    /** Whether any of them slows what runs: not idleness, nor clocks that a person has set. A bit that is not known may. */
    public static boolean costsSpeed(long bits) {
        long harmless = 0;
        for (ThrottleReason reason : values()) {
            harmless |= reason.costsSpeed ? 0 : reason.bit;
        }
        return (bits & ~harmless) != 0;
    }
}
