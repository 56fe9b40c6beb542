package io.inferwatch.simulation.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SimulatedDeviceTest {
    private static final long GIB = 1L << 30;
    private static final long MINUTE_NANOS = 60_000_000_000L;

    @Test
    void aHealthyDeviceNeverRetriesAndHasNoSplitBlocks() {
        SimulatedDevice device = new SimulatedDevice(DeviceSpec.a100("GPU-1", 50 * GIB), 1);
        DeviceState begin = device.state(0);
        // 15 of weights, 50 of cache, 1 of graphs in the allocator; half of one outside.
        assertThat(begin.reservedBytes()).isEqualTo(66 * GIB);
        assertThat(begin.usedBytes()).isEqualTo(66 * GIB + GIB / 2);
        assertThat(begin.freeBytes()).isEqualTo(80 * GIB - begin.usedBytes());
        DeviceState later = device.state(60 * MINUTE_NANOS);
        assertThat(later.retries()).isZero();
        assertThat(later.failures()).isZero();
        assertThat(later.inactiveSplitBytes()).isZero();
        assertThat(later.allocatedBytes()).as("batches are given back").isEqualTo(begin.allocatedBytes());
        assertThat(later.largestRequestBytes()).isEqualTo(GIB / 2);
        assertThat(later).isEqualTo(device.state(60 * MINUTE_NANOS));
    }

    @Test
    void aFragmentedOneFailsBesideFreeMemoryAndRecovers() {
        SimulatedDevice device = new SimulatedDevice(DeviceSpec.a100("GPU-1", 50 * GIB), 1);
        device.setFragmentation(0.6, MINUTE_NANOS);
        DeviceState before = device.state(2 * MINUTE_NANOS);
        DeviceState after = device.state(4 * MINUTE_NANOS);
        long free = after.freeBlocks().stream().mapToLong(Long::longValue).sum();
        assertThat(after.failures()).isGreaterThan(before.failures());
        assertThat(after.retries()).isGreaterThan(before.retries());
        assertThat(free).as("more is free than any request asks for").isGreaterThan(GIB / 2);
        assertThat(after.inactiveSplitBytes()).isGreaterThan(GIB);
        device.setFragmentation(0, 4 * MINUTE_NANOS);
        DeviceState healed = device.state(5 * MINUTE_NANOS);
        assertThat(device.state(10 * MINUTE_NANOS).failures()).isEqualTo(healed.failures());
        assertThat(healed.inactiveSplitBytes()).isZero();
    }

    @Test
    void theSameSeedGivesTheSameMemoryHoweverOftenItIsAskedFor() {
        SimulatedDevice once = new SimulatedDevice(DeviceSpec.a100("GPU-1", 50 * GIB), 5);
        SimulatedDevice often = new SimulatedDevice(DeviceSpec.a100("GPU-1", 50 * GIB), 5);
        once.setFragmentation(0.5, MINUTE_NANOS);
        often.setFragmentation(0.5, MINUTE_NANOS);
        for (long nanos = MINUTE_NANOS; nanos < 3 * MINUTE_NANOS; nanos += 700_000_000L) {
            often.state(nanos);
        }
        assertThat(often.state(3 * MINUTE_NANOS)).isEqualTo(once.state(3 * MINUTE_NANOS));
    }
}
