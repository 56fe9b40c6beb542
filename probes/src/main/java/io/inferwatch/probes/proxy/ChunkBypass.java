package io.inferwatch.probes.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Stands before the HTTP codec of a connection to the upstream and leads the chunks of an answer around it: from the first byte after the headers on, a
 * buffer goes to the client as it was read, and nothing is decoded and encoded again. The codec reads headers, the last chunk with its trailers, and every
 * answer whose relay wants its parts. It can take over wherever a chunk begins, for there it waits for one.
 */
final class ChunkBypass extends ChannelInboundHandlerAdapter {
    private static final byte[] END_OF_HEADERS = {'\r', '\n', '\r', '\n'};

    private final UpstreamConnection connection;
    private final ChunkScanner chunks;
    private int matched;
    private boolean isOpen;
    private boolean hasDecoded;

    ChunkBypass(UpstreamConnection connection) {
        this.connection = connection;
        this.chunks = new ChunkScanner(connection::answerData);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            while (bytes.isReadable()) {
                if (isOpen) {
                    lead(bytes);
                } else {
                    decode(ctx, bytes);
                }
            }
        } finally {
            bytes.release();
        }
    }

    private void lead(ByteBuf bytes) {
        int length = chunks.scan(bytes);
        if (chunks.isGarbled()) {
            isOpen = false;
            bytes.skipBytes(bytes.readableBytes());
            connection.answerGarbled();
            return;
        }
        isOpen = length == bytes.readableBytes();
        if (length > 0) {
            connection.answerChunks(bytes.readRetainedSlice(length));
        }
    }

    /** Headers that are awaited, up to their end, which may open the way around; else all. */
    private void decode(ChannelHandlerContext ctx, ByteBuf bytes) {
        int headersLength = connection.awaitsAnswer() ? headersLength(bytes) : -1;
        hasDecoded = true;
        ctx.fireChannelRead(bytes.readRetainedSlice(headersLength < 0 ? bytes.readableBytes() : headersLength));
        if (headersLength >= 0 && connection.takesChunks()) {
            chunks.reset();
            isOpen = true;
        }
    }

    /** Negative when their end is not among these bytes. */
    private int headersLength(ByteBuf bytes) {
        for (int at = bytes.readerIndex(); at < bytes.writerIndex(); at++) {
            byte b = bytes.getByte(at);
            matched = b == END_OF_HEADERS[matched] ? matched + 1 : b == '\r' ? 1 : 0;
            if (matched == END_OF_HEADERS.length) {
                matched = 0;
                return at + 1 - bytes.readerIndex();
            }
        }
        return -1;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (hasDecoded) {
            hasDecoded = false;
            ctx.fireChannelReadComplete();
        } else {
            // The codec would ask for more where it got nothing, whether or not the client takes it.
            connection.readComplete();
        }
    }
}
