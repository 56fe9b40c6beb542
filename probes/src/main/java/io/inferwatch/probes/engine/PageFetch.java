package io.inferwatch.probes.engine;

import io.inferwatch.probes.engine.exposition.IncompletePageException;
import io.inferwatch.probes.engine.exposition.PageFormat;
import io.inferwatch.probes.engine.exposition.ProtobufPage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPInputStream;

/**
 * Gets a target's page, whole: follows redirects on the same host, inflates, and makes text of protobuf. Takes no more than the limit in bytes and time,
 * whatever the server does, and waits for nothing. Thread safe.
 */
final class PageFetch {
    private static final int MAX_REDIRECTS = 3;

    private final HttpClient client;
    private final ScrapeSettings settings;

    /**
     * A page in text.
     *
     * @param isUnexpected whether its content type says that it is something else
     */
    record Body(byte[] text, int length, boolean openMetrics, boolean isUnexpected) {}

    PageFetch(TargetTls tls, ScrapeSettings settings) {
        this.settings = settings;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(settings.timeout());
        client = (tls.equals(TargetTls.SYSTEM) ? builder : builder.sslContext(tls.context())).build();
    }

    /** The page; what it fails with is told by {@link #understood}. */
    CompletableFuture<Body> get(Target target) {
        CompletableFuture<Body> result = new CompletableFuture<>();
        follow(target, target.url(), 0, result);
        return result.orTimeout(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
    }

    private void follow(Target target, URI url, int redirects, CompletableFuture<Body> result) {
        CompletableFuture<HttpResponse<BoundedBody.Bytes>> exchange;
        try {
            exchange = client.sendAsync(request(target, url), info -> new BoundedBody(settings.maxBytes()));
        } catch (IOException | IllegalArgumentException e) {
            result.completeExceptionally(
                    new ScrapeFailedException(ScrapeFailure.BROKEN, String.valueOf(e.getMessage())));
            return;
        }
        // A scrape that is given up must not go on reading.
        var unusedOnEnd = result.whenComplete((body, failure) -> exchange.cancel(true));
        var unused = exchange.whenComplete((response, failure) -> {
            if (failure != null || response == null) {
                result.completeExceptionally(failure == null ? new IOException("no answer") : understood(failure));
                return;
            }
            try {
                Optional<URI> next = redirect(url, response, redirects);
                if (next.isPresent()) {
                    follow(target, next.get(), redirects + 1, result);
                } else {
                    result.complete(body(response));
                }
            } catch (ScrapeFailedException e) {
                result.completeExceptionally(e);
            }
        });
    }

    private HttpRequest request(Target target, URI url) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .timeout(settings.timeout())
                .header("Accept", PageFormat.ACCEPT)
                .header("Accept-Encoding", settings.gzip() ? "gzip" : "identity")
                .header("User-Agent", "inferwatch");
        Path token = target.token().orElse(null);
        if (token != null) {
            // Read each time, since tokens are renewed.
            request.header("Authorization", "Bearer " + Files.readString(token).trim());
        }
        return request.build();
    }

    /** Where to go on, if anywhere: the credentials are for this host alone. */
    private static Optional<URI> redirect(URI url, HttpResponse<BoundedBody.Bytes> response, int redirects)
            throws ScrapeFailedException {
        int status = response.statusCode();
        if (status / 100 != 3) {
            return Optional.empty();
        }
        String location = response.headers().firstValue("Location").orElse("");
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
        return Optional.of(next);
    }

    private Body body(HttpResponse<BoundedBody.Bytes> response) throws ScrapeFailedException {
        if (response.statusCode() != 200) {
            throw new ScrapeFailedException(ScrapeFailure.STATUS, "status " + response.statusCode());
        }
        BoundedBody.Bytes bytes = response.body();
        if (bytes.isCut()) {
            throw tooLarge();
        }
        byte[] text = bytes.array();
        int length = bytes.length();
        String encoding = response.headers()
                .firstValue("Content-Encoding")
                .orElse("identity")
                .toLowerCase(Locale.ROOT);
        switch (encoding) {
            case "identity", "" -> {}
            case "gzip", "x-gzip" -> {
                text = inflated(text, length);
                length = text.length;
            }
            default -> throw new ScrapeFailedException(ScrapeFailure.ENCODING, "content-encoding " + encoding);
        }
        String type = response.headers().firstValue("Content-Type").orElse("");
        Optional<PageFormat> format = PageFormat.of(type);
        if (format.isPresent() && format.get() == PageFormat.PROTOBUF) {
            try {
                text = ProtobufPage.toText(text, length, settings.maxBytes());
            } catch (IncompletePageException e) {
                throw new ScrapeFailedException(ScrapeFailure.INCOMPLETE, String.valueOf(e.getMessage()));
            }
            return new Body(text, text.length, false, false);
        }
        boolean isOpenMetrics = format.isPresent() && format.get() == PageFormat.OPEN_METRICS;
        return new Body(text, length, isOpenMetrics, format.isEmpty());
    }

    private byte[] inflated(byte[] bytes, int length) throws ScrapeFailedException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes, 0, length))) {
            byte[] inflated = in.readNBytes(settings.maxBytes() + 1);
            if (inflated.length > settings.maxBytes()) {
                throw tooLarge();
            }
            return inflated;
        } catch (IOException e) {
            throw new ScrapeFailedException(ScrapeFailure.ENCODING, "not gzip: " + e.getMessage());
        }
    }

    private ScrapeFailedException tooLarge() {
        return new ScrapeFailedException(ScrapeFailure.TOO_LARGE, "more than " + settings.maxBytes() / 1024 + " KiB");
    }

    /** Why a page was not had. */
    static ScrapeFailedException understood(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof ScrapeFailedException known) {
            return known;
        }
        String message =
                cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage());
        if (cause instanceof TimeoutException
                || (cause instanceof HttpTimeoutException && !(cause instanceof HttpConnectTimeoutException))) {
            return new ScrapeFailedException(ScrapeFailure.TIMEOUT, "no whole answer in time");
        }
        boolean isConnect = cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
        return new ScrapeFailedException(isConnect ? ScrapeFailure.CONNECT : ScrapeFailure.BROKEN, message);
    }
}
