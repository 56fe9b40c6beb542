package io.inferwatch.probes.engine;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** Takes a body up to a limit, and no byte more from the network than that needs. */
final class BoundedBody implements BodySubscriber<BoundedBody.Bytes> {
    private static final int FIRST_BYTES = 64 * 1024;

    private final int maxBytes;
    private final CompletableFuture<Bytes> whole = new CompletableFuture<>();
    private byte[] bytes;
    private int length;
    private @Nullable Subscription subscription;

    /**
     * A body.
     *
     * @param isCut whether it is longer than the limit; then it is empty
     */
    record Bytes(byte[] array, int length, boolean isCut) {}

    BoundedBody(int maxBytes) {
        this.maxBytes = maxBytes;
        bytes = new byte[Math.min(maxBytes, FIRST_BYTES)];
    }

    @Override
    public CompletionStage<Bytes> getBody() {
        return whole;
    }

    @Override
    public void onSubscribe(Subscription given) {
        subscription = given;
        given.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        if (whole.isDone()) {
            return;
        }
        for (ByteBuffer buffer : buffers) {
            int more = buffer.remaining();
            if (more > maxBytes - length) {
                if (subscription != null) {
                    subscription.cancel();
                }
                whole.complete(new Bytes(new byte[0], 0, true));
                return;
            }
            if (length + more > bytes.length) {
                long doubled = Math.max(2L * bytes.length, length + more);
                bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, doubled));
            }
            buffer.get(bytes, length, more);
            length += more;
        }
    }

    @Override
    public void onError(Throwable failure) {
        whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
        whole.complete(new Bytes(bytes, length, false));
    }
}
