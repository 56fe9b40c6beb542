package io.inferwatch.probes.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.compression.Zstd;
import io.netty.handler.codec.compression.ZstdDecoder;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Inflates a copy of a compressed answer, as far as each read allows; what the client gets stays compressed. Knows gzip, deflate and, where its
 * library can be loaded, zstd; not brotli, whose decoder for Java waits for its input and would hold the event loop up. Output is handed on
 * in pieces, so that a small read that inflates to much needs little memory.
 */
final class SideInflater implements AutoCloseable {
    /** Takes a piece of the plain bytes. */
    interface Sink {
        void take(byte[] bytes, int offset, int length);
    }

    private final EmbeddedChannel channel;
    private final byte[] piece = new byte[8 << 10];

    private SideInflater(ChannelHandler decoder) {
        this.channel = new EmbeddedChannel(decoder);
    }

    /** Whether a body of this encoding can be read. */
    static boolean knows(@Nullable String encoding) {
        return isPlain(encoding) || decoder(encoding) != null;
    }

    /** The inflater of an encoding; null where there is nothing to inflate. */
    static @Nullable SideInflater of(@Nullable String encoding) {
        ChannelHandler decoder = isPlain(encoding) ? null : decoder(encoding);
        return decoder == null ? null : new SideInflater(decoder);
    }

    /**
     * Inflates some bytes.
     *
     * @throws RuntimeException when they are not what their encoding says
     */
    void inflate(byte[] bytes, int length, Sink sink) {
        channel.writeInbound(Unpooled.copiedBuffer(bytes, 0, length));
        for (ByteBuf plain = channel.readInbound(); plain != null; plain = channel.readInbound()) {
            try {
                while (plain.isReadable()) {
                    int taken = Math.min(piece.length, plain.readableBytes());
                    plain.readBytes(piece, 0, taken);
                    sink.take(piece, 0, taken);
                }
            } finally {
                plain.release();
            }
        }
    }

    @Override
    public void close() {
        try {
            channel.finishAndReleaseAll();
        } catch (DecoderException e) {
            // A stream that is bad at its end too; inflate has told, or nobody will ask any more.
        }
    }

    private static boolean isPlain(@Nullable String encoding) {
        return encoding == null || encoding.isBlank() || encoding.trim().equalsIgnoreCase("identity");
    }

    private static @Nullable ChannelHandler decoder(@Nullable String encoding) {
        return switch (encoding == null ? "" : encoding.trim().toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> new JdkZlibDecoder(ZlibWrapper.GZIP, true, 0);
            case "zstd" -> Zstd.isAvailable() ? new ZstdDecoder() : null;
            case "deflate" -> new JdkZlibDecoder(ZlibWrapper.ZLIB_OR_NONE, 0);
            default -> null;
        };
    }
}
