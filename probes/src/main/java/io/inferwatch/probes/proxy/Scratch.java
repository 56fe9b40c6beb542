package io.inferwatch.probes.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A copy of what one read brought, so that the bytes can go to the client first and be looked at after. There is one for each event loop, since a
 * read is passed on as a whole before the next begins; whoever finds another's bytes in it has them looked at first.
 */
public final class Scratch {
    /** Looks at the copy. */
    public interface Reader {
        /** The bytes from the beginning of the array are what was read. */
        void read(byte[] bytes, int length);
    }

    private static final int KEPT_BYTES = 64 << 10;
    private static final FastThreadLocal<Scratch> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected Scratch initialValue() {
            return new Scratch();
        }
    };

    private byte[] bytes = new byte[4 << 10];
    private int length;
    private @Nullable Reader owner;

    private Scratch() {}

    /** The one of the event loop that asks. */
    public static Scratch ofThisLoop() {
        return OF_LOOP.get();
    }

    /** Adds a copy of some bytes for a reader. */
    public void add(ByteBuf content, int offset, int added, Reader reader) {
        if (owner != reader) {
            drain();
            owner = reader;
        }
        if (length + added > KEPT_BYTES) {
            drain();
            owner = reader;
        }
        if (length + added > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + added, 2 * bytes.length));
        }
        content.getBytes(offset, bytes, length, added);
        length += added;
    }

    /** Has the copy looked at, and forgets it. */
    public void drain() {
        Reader reader = owner;
        int present = length;
        owner = null;
        length = 0;
        if (reader != null && present > 0) {
            reader.read(bytes, present);
        }
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[KEPT_BYTES];
        }
    }
}
