package io.inferwatch.schemas;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.io.Decoder;
import org.apache.avro.util.Utf8;

/**
 * Avro's binary encoding from a byte array. Unlike Avro's own decoder it never allocates more than the bytes that are there can fill:
 * a length that runs beyond them is an error and not an array of two gigabytes. Not thread safe.
 */
final class ByteArrayDecoder extends Decoder {
    private byte[] bytes = {};
    private int at;
    private int end;

    /** Goes on with these bytes. */
    void reset(byte[] source, int offset) {
        bytes = source;
        at = offset;
        end = source.length;
    }

    /** Whether all bytes are read. */
    boolean isEnd() {
        return at == end;
    }

    @Override
    public void readNull() {}

    @Override
    public boolean readBoolean() throws IOException {
        byte value = bytes[advance(1)];
        if (value != 0 && value != 1) {
            throw new AvroRuntimeException("boolean: must be 0 or 1, found " + value);
        }
        return value == 1;
    }

    @Override
    public int readInt() throws IOException {
        long value = readLong();
        if (value != (int) value) {
            throw new AvroRuntimeException("int: must be of 32 bits, found " + value);
        }
        return (int) value;
    }

    @Override
    public long readLong() throws IOException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at == end) {
                throw new EOFException("breaks off within a number");
            }
            byte next = bytes[at++];
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw new AvroRuntimeException("number: must be of at most 10 bytes");
    }

    @Override
    public float readFloat() throws IOException {
        return Float.intBitsToFloat((int) littleEndian(4));
    }

    @Override
    public double readDouble() throws IOException {
        return Double.longBitsToDouble(littleEndian(8));
    }

    @Override
    public Utf8 readString(Utf8 old) throws IOException {
        return new Utf8(readString());
    }

    @Override
    public String readString() throws IOException {
        int length = length();
        return new String(bytes, advance(length), length, StandardCharsets.UTF_8);
    }

    @Override
    public void skipString() throws IOException {
        advance(length());
    }

    @Override
    public ByteBuffer readBytes(ByteBuffer old) throws IOException {
        byte[] copy = new byte[length()];
        System.arraycopy(bytes, advance(copy.length), copy, 0, copy.length);
        return ByteBuffer.wrap(copy);
    }

    @Override
    public void skipBytes() throws IOException {
        advance(length());
    }

    @Override
    public void readFixed(byte[] target, int start, int length) throws IOException {
        System.arraycopy(bytes, advance(length), target, start, length);
    }

    @Override
    public void skipFixed(int length) throws IOException {
        advance(length);
    }

    @Override
    public int readEnum() throws IOException {
        return readInt();
    }

    @Override
    public int readIndex() throws IOException {
        return readInt();
    }

    @Override
    public long readArrayStart() throws IOException {
        return items();
    }

    @Override
    public long arrayNext() throws IOException {
        return items();
    }

    @Override
    public long skipArray() throws IOException {
        return skipItems();
    }

    @Override
    public long readMapStart() throws IOException {
        return items();
    }

    @Override
    public long mapNext() throws IOException {
        return items();
    }

    @Override
    public long skipMap() throws IOException {
        return skipItems();
    }

    private int length() throws IOException {
        return within(readLong(), "length");
    }

    /** The number of items of a block; no item of our schemas takes less than a byte. */
    private long items() throws IOException {
        long count = readLong();
        if (count < 0) {
            within(readLong(), "block size");
            count = -count;
        }
        return within(count, "items");
    }

    private long skipItems() throws IOException {
        long count = readLong();
        while (count < 0) {
            advance(length());
            count = readLong();
        }
        return within(count, "items");
    }

    private int within(long length, String what) throws IOException {
        if (length < 0) {
            throw new AvroRuntimeException(what + ": must not be negative, found " + length);
        }
        if (length > end - at) {
            throw new EOFException(what + " " + length + " runs beyond the " + (end - at) + " bytes that are left");
        }
        return (int) length;
    }

    private int advance(int length) throws IOException {
        if (length > end - at) {
            throw new EOFException("breaks off " + (length - (end - at)) + " bytes too early");
        }
        int start = at;
        at += length;
        return start;
    }

    private long littleEndian(int width) throws IOException {
        int start = advance(width);
        long value = 0;
        for (int i = width - 1; i >= 0; i--) {
            value = (value << 8) | (bytes[start + i] & 0xFF);
        }
        return value;
    }
}
