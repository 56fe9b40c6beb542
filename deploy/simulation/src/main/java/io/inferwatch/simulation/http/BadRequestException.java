package io.inferwatch.simulation.http;

/** A request that the interface does not take, with the status and the text of its refusal. */
final class BadRequestException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String type;

    private BadRequestException(int status, String type, String message) {
        super(message);
        this.status = status;
        this.type = type;
    }

    static BadRequestException because(String message) {
        return new BadRequestException(400, "BadRequestError", message);
    }

    static BadRequestException unknownModel(String model) {
        return new BadRequestException(404, "NotFoundError", "The model `" + model + "` does not exist.");
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }
}
