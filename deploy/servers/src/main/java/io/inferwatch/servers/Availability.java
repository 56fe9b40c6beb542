package io.inferwatch.servers;

import java.util.function.Function;

/** Something that a machine may or may not have, with the reason where it has not. */
public sealed interface Availability<T> {
    /** It is there. */
    record Found<T>(T value) implements Availability<T> {}

    /** It is not there; the reason says what was tried and what to do. */
    record Missing<T>(String reason) implements Availability<T> {}

    /** Whether it is there. */
    default boolean isFound() {
        return this instanceof Found;
    }

    /** Why it is not there; empty when it is. */
    default String reason() {
        return this instanceof Missing<T> missing ? missing.reason : "";
    }

    /** The thing itself; {@link ServerStartException} with the reason when it is not there. */
    default T get() {
        if (this instanceof Found<T> found) {
            return found.value;
        }
        throw new ServerStartException(reason());
    }

    /** The same of something made from it. */
    default <R> Availability<R> map(Function<? super T, ? extends R> made) {
        return this instanceof Found<T> found ? new Found<>(made.apply(found.value)) : new Missing<>(reason());
    }
}
