package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.PageFormat;
import io.inferwatch.schemas.settings.InvalidSettingsException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gets one target's page, again and again over one connection while the server keeps it, and follows redirects on the same host. Takes no more than the limit
 * in bytes and time, whatever the server does. A connection that the server closed just as it was to be used again is made anew, once. Confined to the
 * client's loop.
 */
final class PageFetch implements PageAnswers.Listener {
    private static final int MAX_REDIRECTS = 3;

    private final PageClient client;
    private final Target target;
    private @Nullable Channel channel;
    private boolean isReady;
    /** Whether a whole answer came over the present connection before. */
    private boolean isKept;

    private @Nullable Taker taker;
    private @Nullable Future<?> deadline;
    private URI url;
    private int redirects;

    /** Who waits for a page; is told one of the two, once. */
    interface Taker {
        /** The page, whose bytes are there during the call only. */
        void page(PageBody body);

        void failed(ScrapeFailedException failure);
    }

    PageFetch(PageClient client, Target target) {
        this.client = client;
        this.target = target;
        url = target.url();
    }

    /** Asks for the page. Not before the one before was told. */
    void get(Taker waiting) {
        taker = waiting;
        url = target.url();
        redirects = 0;
        deadline =
                client.loop().schedule(this::late, client.settings().timeout().toNanos(), TimeUnit.NANOSECONDS);
        ask();
    }

    /** Gives up, and tells nobody. */
    void close() {
        end();
        disconnect();
    }

    private void ask() {
        Channel open = channel;
        if (open == null) {
            isReady = false;
            isKept = false;
            try {
                channel = client.connect(target, this);
            } catch (InvalidSettingsException e) {
                fail(new ScrapeFailedException(ScrapeFailure.BROKEN, String.valueOf(e.getMessage())));
            }
        } else if (isReady) {
            send(open);
        }
        // Otherwise it is still being made, for a page that was given up: that goes on, so that connections never pile
        // up.
    }

    @Override
    public void connected(Channel of) {
        if (of != channel) {
            var unused = of.close();
            return;
        }
        isReady = true;
        if (taker != null) {
            send(of);
        }
    }

    private void send(Channel to) {
        try {
            var unused = to.writeAndFlush(request(), to.voidPromise());
        } catch (IOException e) {
            fail(new ScrapeFailedException(ScrapeFailure.BROKEN, String.valueOf(e.getMessage())));
        }
    }

    private FullHttpRequest request() throws IOException {
        String query = url.getRawQuery();
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1,
                HttpMethod.GET,
                url.getRawPath() + (query == null ? "" : "?" + query),
                Unpooled.EMPTY_BUFFER);
        request.headers()
                .set(HttpHeaderNames.HOST, url.getPort() < 0 ? url.getHost() : url.getHost() + ":" + url.getPort())
                .set(HttpHeaderNames.ACCEPT, PageFormat.ACCEPT)
                .set(HttpHeaderNames.ACCEPT_ENCODING, client.settings().gzip() ? "gzip" : "identity")
                .set(HttpHeaderNames.USER_AGENT, "inferwatch");
        Path token = target.token().orElse(null);
        if (token != null) {
            // Read each time, since tokens are renewed.
            request.headers()
                    .set(
                            HttpHeaderNames.AUTHORIZATION,
                            "Bearer " + Files.readString(token).trim());
        }
        return request;
    }

    @Override
    public void answered(Channel by, HttpResponse head, ByteBuf body, boolean isReusable) {
        if (by != channel) {
            return;
        }
        isKept = true;
        // After an answer that nobody asked for, no later one can be trusted.
        if (!isReusable || taker == null) {
            disconnect();
        }
        if (taker == null) {
            return;
        }
        try {
            URI next = redirect(head);
            if (next != null) {
                url = next;
                redirects++;
                ask();
                return;
            }
            PageBody page = PageBody.of(head, body, client.settings().maxBytes());
            Taker told = end();
            if (told != null) {
                told.page(page);
            }
        } catch (ScrapeFailedException e) {
            fail(e);
        }
    }

    @Override
    public void failed(Channel by, ScrapeFailedException failure, boolean hasBegun) {
        if (by != channel) {
            return;
        }
        boolean isAgain = isKept && !hasBegun && taker != null && failure.failure() == ScrapeFailure.BROKEN;
        disconnect();
        if (isAgain) {
            ask();
        } else {
            fail(failure);
        }
    }

    /** Where to go on, if anywhere: the credentials are for this host alone. */
    private @Nullable URI redirect(HttpResponse head) throws ScrapeFailedException {
        int status = head.status().code();
        if (status / 100 != 3) {
            return null;
        }
        String location = Objects.requireNonNullElse(head.headers().get(HttpHeaderNames.LOCATION), "");
        URI next;
        try {
            next = url.resolve(location);
        } catch (IllegalArgumentException e) {
            next = url;
        }
        boolean isSameHost = Objects.equals(url.getScheme(), next.getScheme())
                && Objects.equals(url.getAuthority(), next.getAuthority());
        if (location.isEmpty() || !isSameHost || redirects >= MAX_REDIRECTS) {
            throw new ScrapeFailedException(
                    ScrapeFailure.REDIRECT, "status " + status + ", location '" + location + "'");
        }
        return next;
    }

    private void late() {
        // What is under way cannot be told from the next answer; one that is being made serves the next page.
        if (isReady) {
            disconnect();
            fail(new ScrapeFailedException(ScrapeFailure.TIMEOUT, "no whole answer in time"));
        } else {
            fail(new ScrapeFailedException(ScrapeFailure.CONNECT, "no connection in time"));
        }
    }

    private void fail(ScrapeFailedException failure) {
        Taker told = end();
        if (told != null) {
            told.failed(failure);
        }
    }

    private @Nullable Taker end() {
        Future<?> set = deadline;
        if (set != null) {
            set.cancel(false);
            deadline = null;
        }
        Taker told = taker;
        taker = null;
        return told;
    }

    private void disconnect() {
        Channel open = channel;
        channel = null;
        if (open != null) {
            var unused = open.close();
        }
    }
}
