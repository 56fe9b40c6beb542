package io.inferwatch.probes.gpu;

/** CUDA cannot be used here; the message is one line for people. */
final class CudaUnavailableException extends Exception {
    private static final long serialVersionUID = 1;

    CudaUnavailableException(String message) {
        super(message);
    }
}
