package io.inferwatch.probes.engine.exposition;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A native histogram of Prometheus: buckets whose bounds are powers of 2^(2^-schema), of which a page holds only those that are not empty. Told as cumulative
 * buckets at bounds of its own that are always the same, from 2^{@value #LEAST_OCTAVE} to 2^{@value #GREATEST_OCTAVE}, so that a bucket that comes later changes
 * no grid. Counts are exact. Above {@value #FINEST_SCHEMA}, 2^(2^-schema) steps of bounds are merged, as Prometheus itself does.
 */
final class NativeHistogram {
    private static final int LEAST_OCTAVE = -17;
    private static final int GREATEST_OCTAVE = 20;
    private static final int FINEST_SCHEMA = 3;
    private static final int LEAST_SCHEMA = -4;
    private static final int GREATEST_SCHEMA = 8;

    private final List<int[]> spans = new ArrayList<>();
    private final List<Double> counts = new ArrayList<>();
    private boolean isThere;
    private int schema;
    private double zeroThreshold;
    private double atZero;
    private double negative;
    private double lastOfNegative;
    private double lastOfPositive;

    /** Takes a bucket. */
    interface Buckets {
        void bucket(double bound, double cumulative);
    }

    /** Reads a field of the message {@code Histogram}; false, with nothing read, when it is none of a native histogram's. */
    boolean read(int tag, CodedInputStream in) throws IOException {
        switch (WireFormat.getTagFieldNumber(tag)) {
            case 5 -> {
                schema = in.readSInt32();
                isThere = schema >= LEAST_SCHEMA && schema <= GREATEST_SCHEMA;
            }
            case 6 -> zeroThreshold = in.readDouble();
            case 7 -> atZero = in.readUInt64();
            case 8 -> atZero = in.readDouble();
            case 10 ->
                each(tag, in, () -> {
                    lastOfNegative += in.readSInt64();
                    negative += lastOfNegative;
                });
            case 11 -> each(tag, in, () -> negative += in.readDouble());
            case 12 -> spans.add(span(in.readBytes().newCodedInput()));
            case 13 ->
                each(tag, in, () -> {
                    lastOfPositive += in.readSInt64();
                    counts.add(lastOfPositive);
                });
            case 14 -> each(tag, in, () -> counts.add(in.readDouble()));
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Whether the message holds one, of a schema that is known. */
    boolean isThere() {
        return isThere;
    }

    /** Tells all buckets but the open one, rising. */
    void tell(Buckets told) {
        int shift = Math.max(0, schema - FINEST_SCHEMA);
        int merged = schema - shift;
        int first = index(LEAST_OCTAVE, merged);
        double[] own = new double[index(GREATEST_OCTAVE, merged) - first + 1];
        add(own, Math.ceil(Math.log(zeroThreshold) / Math.log(2) * Math.scalb(1.0, merged)) - first, atZero);
        add(own, 0, negative);
        long index = 0;
        int next = 0;
        for (int[] span : spans) {
            index += span[0];
            for (int i = 0; i < span[1] && next < counts.size(); i++) {
                // A bucket is known by its upper bound; of those that are merged, the last one's is the whole's.
                add(own, -Math.floorDiv(-index, 1L << shift) - (double) first, counts.get(next++));
                index++;
            }
        }
        double cumulative = 0;
        for (int i = 0; i < own.length; i++) {
            cumulative += own[i];
            told.bucket(Math.pow(2, (first + i) * Math.scalb(1.0, -merged)), cumulative);
        }
    }

    /** What lies below the first bound is in its bucket; what lies above the last is in the open one alone. */
    private static void add(double[] own, double place, double count) {
        if (place < own.length) {
            own[(int) Math.max(0, place)] += count;
        }
    }

    private static int index(int octave, int schema) {
        return schema >= 0 ? octave << schema : octave >> -schema;
    }

    private static int[] span(CodedInputStream in) throws IOException {
        int[] span = new int[2];
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> span[0] = in.readSInt32();
                case 2 -> span[1] = in.readUInt32();
                default -> in.skipField(tag);
            }
        }
        return span;
    }

    private interface Item {
        void read() throws IOException;
    }

    /** A repeated number, one by one or packed. */
    private static void each(int tag, CodedInputStream in, Item item) throws IOException {
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            item.read();
            return;
        }
        int end = in.pushLimit(in.readRawVarint32());
        while (in.getBytesUntilLimit() > 0) {
            item.read();
        }
        in.popLimit(end);
    }
}
