package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.nvml.Answer;
import io.inferwatch.probes.gpu.nvml.NvmlStatus;
import io.inferwatch.schemas.GpuSample;
import org.jspecify.annotations.Nullable;

/**
 * One reading of a device in the making: takes answers into a sample. What the device lacks is null and noted, what cannot be true is null, marked {@code rejected-…} and
 * counted. A device that is lost, or that answers nothing but errors, ends the reading.
 */
final class Reading {
    /** One call may fail by itself; a device whose first three all do is not worth the time of the rest. */
    private static final int FAILURES_AT_FIRST = 3;

    private final GpuSample sample;
    private final Capabilities capabilities;
    private final GpuCounters counters;
    private boolean hasAnswered;
    private int failures;

    Reading(GpuSample sample, Capabilities capabilities, GpuCounters counters) {
        this.sample = sample;
        this.capabilities = capabilities;
        this.counters = counters;
    }

    GpuSample sample() {
        return sample;
    }

    /** The value; null where there is none. */
    <T> @Nullable T take(GpuField field, Answer<T> answer) throws DeviceGoneException {
        NvmlStatus status = answer.status();
        capabilities.note(field, status);
        if (answer instanceof Answer.Value<T> given) {
            hasAnswered = true;
            return given.value();
        }
        if (status.isDeviceGone()) {
            throw new DeviceGoneException(status);
        }
        // That the library lacks a function says nothing of the device.
        hasAnswered |= status.isLacking() && status != NvmlStatus.FUNCTION_NOT_FOUND;
        failures++;
        if (!hasAnswered && failures >= FAILURES_AT_FIRST) {
            throw new DeviceGoneException(status);
        }
        return null;
    }

    /** The number, where it can be true: from 0 to a limit. Placeholders for "no value" are beyond any. */
    @Nullable
    Long number(GpuField field, Answer<Long> answer, long most) throws DeviceGoneException {
        Long number = take(field, answer);
        return number == null || !isPossible(field, number, most) ? null : number;
    }

    /** The number in another unit. */
    @Nullable
    Long number(GpuField field, Answer<Long> answer, long most, long times) throws DeviceGoneException {
        Long number = number(field, answer, most);
        return number == null ? null : Long.valueOf(number * times);
    }

    boolean isPossible(GpuField field, long number, long most) {
        if (number >= 0 && number <= most) {
            return true;
        }
        counters.rejected(field);
        mark("rejected-" + field.label());
        return false;
    }

    void mark(String mark) {
        if (!sample.getMarks().contains(mark)) {
            sample.getMarks().add(mark);
        }
    }
}
