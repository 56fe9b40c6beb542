package io.inferwatch.jobs.ingest;

import io.inferwatch.analytics.quantile.QuantileSketch;
import io.inferwatch.analytics.quantile.SketchEncoding;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.jspecify.annotations.Nullable;

/**
 * One record of the requests topic, decoded as far as the layout asks. There is one row a source task, filled anew for each record: it
 * is valid until the next one and never leaves the chain of operators behind the source.
 */
public final class RequestRow {
    /** A number that the event does not have. */
    public static final long ABSENT = Long.MIN_VALUE;

    /** What the record was. */
    public enum Kind {
        REQUEST,
        HEARTBEAT,
        /** A key without a value. */
        TOMBSTONE,
        /** Not to be decoded; see {@link #faultReason()}. */
        FAULTY
    }

    private final long[] numbers;
    private final int[] texts;
    private final long[] bytes;
    private final @Nullable QuantileSketch[] sketches;
    private final TextTable table;

    private Kind kind = Kind.TOMBSTONE;
    private byte[] value = {};
    private byte @Nullable [] key;
    private int partition;
    private long offset;
    private long appendedAtMillis;
    private String faultReason = "";
    private String faultDetail = "";

    RequestRow(EventLayout layout, TextTable table) {
        this.numbers = new long[layout.numbers().size()];
        this.texts = new int[layout.textCount()];
        this.bytes = new long[layout.bytesCount()];
        this.sketches = new QuantileSketch[layout.bytesCount()];
        this.table = table;
    }

    /** The type of rows, which pass by reference within the chain behind the source. */
    public static TypeInformation<RequestRow> type() {
        return new CompactType<>(RequestRow.class, RequestRowByReference.INSTANCE);
    }

    /** Starts the next record. */
    void begin(int partition, long offset, long appendedAtMillis, byte @Nullable [] key, byte[] value) {
        this.partition = partition;
        this.offset = offset;
        this.appendedAtMillis = appendedAtMillis;
        this.key = key;
        this.value = value;
        Arrays.fill(numbers, ABSENT);
        Arrays.fill(texts, -1);
        Arrays.fill(bytes, ABSENT);
        Arrays.fill(sketches, null);
        table.renewWhenFull();
    }

    void kind(Kind newKind) {
        kind = newKind;
    }

    void fault(String reason, String detail) {
        kind = Kind.FAULTY;
        faultReason = reason;
        faultDetail = detail;
    }

    void number(int slot, long number) {
        numbers[slot] = number;
    }

    void text(int slot, int offsetInValue, int length) {
        texts[slot] = table.number(value, offsetInValue, length);
    }

    void bytes(int slot, int offsetInValue, int length) {
        bytes[slot] = ((long) offsetInValue << 32) | length;
    }

    /** What the record was. */
    public Kind kind() {
        return kind;
    }

    /** A number, or {@link #ABSENT}. */
    public long number(int slot) {
        return numbers[slot];
    }

    /** The number of a text in {@link #table()}, or -1. */
    public int text(int slot) {
        return texts[slot];
    }

    /**
     * The sketch that a bytes field holds, or null when the field is absent.
     *
     * @throws IllegalArgumentException when the bytes are no sketch
     */
    public @Nullable QuantileSketch sketch(int slot) {
        if (bytes[slot] == ABSENT) {
            return null;
        }
        QuantileSketch sketch = sketches[slot];
        if (sketch == null) {
            sketch = SketchEncoding.decode(value, (int) (bytes[slot] >>> 32), (int) bytes[slot]);
            sketches[slot] = sketch;
        }
        return sketch;
    }

    /** The texts' numbering. */
    public TextTable table() {
        return table;
    }

    /** The record's value, byte for byte. */
    public byte[] value() {
        return value;
    }

    /** The record's key. */
    public byte @Nullable [] key() {
        return key;
    }

    /** The record's partition. */
    public int partition() {
        return partition;
    }

    /** The record's offset. */
    public long offset() {
        return offset;
    }

    /** The broker's append time, epoch milliseconds. */
    public long appendedAtMillis() {
        return appendedAtMillis;
    }

    /** Why it is faulty, one of a closed list. */
    public String faultReason() {
        return faultReason;
    }

    /** Why it is faulty, in words. */
    public String faultDetail() {
        return faultDetail;
    }
}
