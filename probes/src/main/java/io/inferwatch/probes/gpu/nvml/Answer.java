package io.inferwatch.probes.gpu.nvml;

import java.util.function.Function;
import java.util.function.Supplier;

/** What a call of NVML answered: a value, or the status that says why there is none. */
public sealed interface Answer<T> {
    /** The value. */
    record Value<T>(T value) implements Answer<T> {}

    /** No value, and why. */
    record Refused<T>(NvmlStatus status) implements Answer<T> {}

    /** The same of something made from the value. */
    default <R> Answer<R> map(Function<? super T, ? extends R> made) {
        return this instanceof Value<T> given ? new Value<>(made.apply(given.value)) : new Refused<>(status());
    }

    /** This, or another way to the same value where the device or the library lacks this one. */
    default Answer<T> orIfLacking(Supplier<Answer<T>> other) {
        return status().isLacking() ? other.get() : this;
    }

    /** {@link NvmlStatus#SUCCESS} for a value. */
    default NvmlStatus status() {
        return this instanceof Refused<T> refused ? refused.status : NvmlStatus.SUCCESS;
    }
}
