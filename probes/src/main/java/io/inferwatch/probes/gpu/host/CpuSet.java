package io.inferwatch.probes.gpu.host;

import java.util.BitSet;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/** Processors, read and written as Linux does: {@code 0-31,64-95}. */
public record CpuSet(BitSet cpus) {
    private static final Pattern LIST = Pattern.compile("\\d{1,6}(-\\d{1,6})?(,\\d{1,6}(-\\d{1,6})?)*");
    private static final int MAX_CPUS = 65_536;

    /** A copy of its own. */
    public CpuSet {
        cpus = (BitSet) cpus.clone();
    }

    /** Reads a list; nothing where it is none or empty. */
    public static Optional<CpuSet> parse(String text) {
        if (!LIST.matcher(text).matches()) {
            return Optional.empty();
        }
        BitSet cpus = new BitSet();
        for (String range : text.split(",", -1)) {
            int dash = range.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int last = Integer.parseInt(range.substring(dash + 1));
            if (first > last || last >= MAX_CPUS) {
                return Optional.empty();
            }
            cpus.set(first, last + 1);
        }
        return Optional.of(new CpuSet(cpus));
    }

    /** Whether no processor is in both. */
    public boolean isDisjointFrom(CpuSet other) {
        return !cpus.intersects(other.cpus);
    }

    @Override
    public BitSet cpus() {
        return (BitSet) cpus.clone();
    }

    @Override
    public String toString() {
        StringJoiner ranges = new StringJoiner(",");
        for (int first = cpus.nextSetBit(0); first >= 0; ) {
            int end = cpus.nextClearBit(first);
            ranges.add(end == first + 1 ? Integer.toString(first) : first + "-" + (end - 1));
            first = cpus.nextSetBit(end);
        }
        return ranges.toString();
    }
}
