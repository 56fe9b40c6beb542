package io.inferwatch.influx;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Supplier;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Turns the client's requests into those that servers before 1.8 know: {@code /api/v2/write?bucket=db/rp&precision=us} becomes
 * {@code /write?db=db&rp=rp&precision=u}, {@code Authorization: Token user:password} becomes Basic. It has to be a network
 * interceptor, because the client adds its credentials after the others have run.
 *
 * <p>The unit must be rewritten: 1.6 silently takes one that it does not know for nanoseconds.
 */
final class LegacyServerInterceptor implements Interceptor {
    private static final String WRITE_PATH = "/api/v2/write";
    private static final String TOKEN_SCHEME = "Token ";

    private final Supplier<@Nullable ServerVersion> version;

    /** An interceptor that acts once the supplier gives the version of a legacy server. */
    LegacyServerInterceptor(Supplier<@Nullable ServerVersion> version) {
        this.version = version;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        ServerVersion server = version.get();
        Request request = chain.request();
        return chain.proceed(server == null || !server.isLegacy() ? request : rewrite(request));
    }

    static Request rewrite(Request request) {
        Request.Builder legacy = request.newBuilder();
        String path = request.url().encodedPath();
        if (path.endsWith(WRITE_PATH)) {
            legacy.url(rewriteWrite(request.url(), path.substring(0, path.length() - WRITE_PATH.length()) + "/write"));
        }
        String authorization = request.header("Authorization");
        if (authorization != null && authorization.startsWith(TOKEN_SCHEME)) {
            byte[] login = authorization.substring(TOKEN_SCHEME.length()).getBytes(StandardCharsets.UTF_8);
            legacy.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(login));
        }
        return legacy.build();
    }

    private static HttpUrl rewriteWrite(HttpUrl url, String path) {
        HttpUrl.Builder legacy = url.newBuilder().encodedPath(path).query(null);
        String bucket = url.queryParameter("bucket");
        if (bucket != null) {
            int slash = bucket.indexOf('/');
            legacy.addQueryParameter("db", slash < 0 ? bucket : bucket.substring(0, slash));
            if (slash >= 0) {
                legacy.addQueryParameter("rp", bucket.substring(slash + 1));
            }
        }
        String precision = url.queryParameter("precision");
        if (precision != null) {
            legacy.addQueryParameter(
                    "precision",
                    switch (precision) {
                        case "us" -> "u";
                        case "ns" -> "n";
                        default -> precision;
                    });
        }
        return legacy.build();
    }
}
