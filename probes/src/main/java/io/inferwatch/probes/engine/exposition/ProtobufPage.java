package io.inferwatch.probes.engine.exposition;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns a page of delimited {@code io.prometheus.client.MetricFamily} messages into the same page in text, so that both are read by one reader. Read by
 * field numbers, which never change: fields unknown here are passed over. Of a histogram that is classic and native, the classic buckets count.
 */
public final class ProtobufPage {
    private static final int COUNTER = 0;
    private static final int GAUGE = 1;
    private static final int SUMMARY = 2;
    private static final int UNTYPED = 3;
    private static final int HISTOGRAM = 4;

    private final StringBuilder text = new StringBuilder();
    private final int maxLetters;
    private String family = "";
    private final StringBuilder labels = new StringBuilder();

    private ProtobufPage(int maxLetters) {
        this.maxLetters = maxLetters;
    }

    /**
     * The page in Prometheus' text format.
     *
     * @param maxBytes how long that may become
     * @throws IncompletePageException when it is cut short, is no such page, or would become longer
     */
    public static byte[] toText(byte[] page, int from, int to, int maxBytes) throws IncompletePageException {
        ProtobufPage reading = new ProtobufPage(maxBytes);
        CodedInputStream in = CodedInputStream.newInstance(page, from, to - from);
        try {
            while (!in.isAtEnd()) {
                int end = in.pushLimit(in.readRawVarint32());
                reading.family(in);
                in.popLimit(end);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new IncompletePageException("a protobuf page must be whole, found " + e.getMessage());
        }
        byte[] text = reading.text.toString().getBytes(StandardCharsets.UTF_8);
        if (text.length > maxBytes) {
            throw tooLong(maxBytes);
        }
        return text;
    }

    private void family(CodedInputStream in) throws IOException, IncompletePageException {
        family = "";
        List<ByteString> metrics = new ArrayList<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> family = in.readString();
                case 4 -> metrics.add(in.readBytes());
                default -> in.skipField(tag);
            }
        }
        for (ByteString metric : metrics) {
            metric(metric);
            if (text.length() > maxLetters) {
                throw tooLong(maxLetters);
            }
        }
    }

    private static IncompletePageException tooLong(int maxBytes) {
        return new IncompletePageException("a protobuf page must be at most " + maxBytes + " bytes in text");
    }

    /** Labels come first on the wire, but need not: the value is kept until all is read. */
    private void metric(ByteString metric) throws IOException {
        labels.setLength(0);
        long atMillis = PageReader.NO_TIME;
        int kind = UNTYPED;
        ByteString value = null;
        CodedInputStream in = metric.newCodedInput();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> label(in.readBytes().newCodedInput());
                case 2 -> {
                    kind = GAUGE;
                    value = in.readBytes();
                }
                case 3 -> {
                    kind = COUNTER;
                    value = in.readBytes();
                }
                case 4 -> {
                    kind = SUMMARY;
                    value = in.readBytes();
                }
                case 5 -> value = in.readBytes();
                case 6 -> atMillis = in.readInt64();
                case 7 -> {
                    kind = HISTOGRAM;
                    value = in.readBytes();
                }
                default -> in.skipField(tag);
            }
        }
        if (value == null) {
            return;
        }
        switch (kind) {
            case SUMMARY -> distribution(value, "quantile", atMillis);
            case HISTOGRAM -> distribution(value, "le", atMillis);
            default -> line("", null, null, simple(value), atMillis);
        }
    }

    private void label(CodedInputStream in) throws IOException {
        String name = "";
        String value = "";
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> name = in.readString();
                case 2 -> value = in.readString();
                default -> in.skipField(tag);
            }
        }
        if (!labels.isEmpty()) {
            labels.append(',');
        }
        quote(labels, name);
        labels.append('=');
        quote(labels, value);
    }

    private static double simple(ByteString value) throws IOException {
        CodedInputStream in = value.newCodedInput();
        double number = 0;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (WireFormat.getTagFieldNumber(tag) == 1) {
                number = in.readDouble();
            } else {
                in.skipField(tag);
            }
        }
        return number;
    }

    /** Summary and histogram differ in the name of one label, and in whether a bucket's first number is its bound or its count. */
    private void distribution(ByteString value, String label, long atMillis) throws IOException {
        boolean isHistogram = label.equals("le");
        String suffix = isHistogram ? "_bucket" : "";
        double count = 0;
        double sum = 0;
        boolean seesLast = false;
        boolean isClassic = !isHistogram;
        NativeHistogram exponential = new NativeHistogram();
        CodedInputStream in = value.newCodedInput();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> count = in.readUInt64();
                case 2 -> sum = in.readDouble();
                case 3 -> {
                    double[] bucket = bucket(in.readBytes().newCodedInput(), isHistogram);
                    seesLast |= bucket[0] == Double.POSITIVE_INFINITY;
                    isClassic = true;
                    line(suffix, label, number(bucket[0]), bucket[1], atMillis);
                }
                case 4 -> count = in.readDouble();
                default -> {
                    if (!isHistogram || !exponential.read(tag, in)) {
                        in.skipField(tag);
                    }
                }
            }
        }
        if (!isClassic && exponential.isThere()) {
            exponential.tell((bound, below) -> line(suffix, label, number(bound), below, atMillis));
        }
        if (isHistogram && !seesLast) {
            line(suffix, label, "+Inf", count, atMillis);
        }
        line("_count", null, null, count, atMillis);
        line("_sum", null, null, sum, atMillis);
    }

    /** Bound and count of a bucket, or quantile and value. */
    private static double[] bucket(CodedInputStream in, boolean isHistogram) throws IOException {
        double bound = 0;
        double value = 0;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> {
                    if (isHistogram) {
                        value = in.readUInt64();
                    } else {
                        bound = in.readDouble();
                    }
                }
                case 2 -> {
                    if (isHistogram) {
                        bound = in.readDouble();
                    } else {
                        value = in.readDouble();
                    }
                }
                default -> in.skipField(tag);
            }
        }
        return new double[] {bound, value};
    }

    private void line(String suffix, @Nullable String label, @Nullable String labelValue, double value, long atMillis) {
        text.append('{');
        quote(text, family + suffix);
        if (!labels.isEmpty()) {
            text.append(',').append(labels);
        }
        if (label != null && labelValue != null) {
            text.append(',').append(label).append('=');
            quote(text, labelValue);
        }
        text.append("} ").append(number(value));
        if (atMillis != PageReader.NO_TIME) {
            text.append(' ').append(atMillis);
        }
        text.append('\n');
    }

    private static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return Long.toString((long) value);
        }
        return Double.isInfinite(value) ? value > 0 ? "+Inf" : "-Inf" : Double.toString(value);
    }

    private static void quote(StringBuilder out, String raw) {
        out.append('"');
        for (int i = 0; i < raw.length(); i++) {
            char letter = raw.charAt(i);
            switch (letter) {
                case '\\' -> out.append("\\\\");
                case '"' -> out.append("\\\"");
                case '\n' -> out.append("\\n");
                default -> out.append(letter);
            }
        }
        out.append('"');
    }
}
