package io.inferwatch.probes.pods;

/** The kubelet did not say who holds which device. */
final class PodResourcesException extends Exception {
    private static final long serialVersionUID = 1L;

    PodResourcesException(String message) {
        super(message);
    }
}
