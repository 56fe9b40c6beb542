package io.inferwatch.probes.otlp;

/** How a post was answered, over HTTP and over gRPC. Only what is temporary invites its sender to try again. */
enum PostResult {
    TAKEN(200, 0),
    MALFORMED(400, 3),
    UNAUTHORIZED(401, 16),
    UNKNOWN_PATH(404, 12),
    NOT_A_POST(405, 12),
    TOO_LARGE(413, 8),
    UNSUPPORTED(415, 12),
    FAILED(500, 13),
    /** Not even read: too many connections were open. */
    TOO_MANY_CONNECTIONS(503, 14),
    /** Not even read: the sender spoke no TLS, showed no certificate of the right authority, or did not like the probe's. */
    TLS_FAILED(400, 16);

    private final int httpStatus;
    private final int grpcStatus;

    PostResult(int httpStatus, int grpcStatus) {
        this.httpStatus = httpStatus;
        this.grpcStatus = grpcStatus;
    }

    int httpStatus() {
        return httpStatus;
    }

    int grpcStatus() {
        return grpcStatus;
    }
}
