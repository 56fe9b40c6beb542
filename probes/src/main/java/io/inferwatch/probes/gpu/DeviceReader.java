package io.inferwatch.probes.gpu;

import io.inferwatch.probes.gpu.nvml.Answer;
import io.inferwatch.probes.gpu.nvml.NvmlDevice;
import io.inferwatch.probes.gpu.nvml.NvmlDevice.DeviceMemory;
import io.inferwatch.probes.gpu.nvml.NvmlFields;
import io.inferwatch.probes.gpu.nvml.NvmlFields.Field;
import io.inferwatch.probes.gpu.nvml.NvmlGpm.Metric;
import io.inferwatch.probes.gpu.nvml.NvmlStatus;
import io.inferwatch.schemas.GpuSample;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reads all of a device, or what there is of a MIG instance, into a sample. Values are judged here: what no device can have is rejected. */
final class DeviceReader {
    private static final long PPM_PER_PERCENT = 10_000;
    private static final long MAX_PERCENT = 100;
    private static final long MAX_MILLIWATTS = 2_000_000;
    private static final long MAX_CELSIUS = 150;
    private static final long MAX_MEGAHERTZ = 20_000;
    private static final long MAX_LANES = 32;
    private static final long MAX_UINT = 0xFFFF_FFFEL;
    /** Just below are the placeholders for "no value" of 64 bits. */
    private static final long MAX_ULONG = Long.MAX_VALUE - 16;

    private static final long KIB = 1_024;
    private static final long MEGABYTE = 1_000_000;
    private static final double MIB = 1_024.0 * 1_024;
    private static final int POWER_POLICY = 0;
    private static final int HEAT_POLICY = 1;
    /** Asking for PCIe's speed waits 20 ms for each direction, so not with every sample. */
    private static final long PCIE_SPEED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final List<Field> FIELDS = List.copyOf(EnumSet.allOf(Field.class));
    private static final List<Field> NVLINK_ERRORS =
            List.of(Field.NVLINK_FLIT_CRC, Field.NVLINK_DATA_CRC, Field.NVLINK_REPLAYS, Field.NVLINK_RECOVERIES);
    /** Of one lane and direction, generations 1 to 6, bytes per second, after line coding. */
    private static final long[] PCIE_LANE_BYTES_PER_SECOND = {
        250_000_000L, 500_000_000L, 984_615_384L, 1_969_230_769L, 3_938_461_538L, 7_562_500_000L
    };

    private final GpuCounters counters;
    private final LongSupplier nanoTime;

    DeviceReader(GpuCounters counters, LongSupplier nanoTime) {
        this.counters = counters;
        this.nanoTime = nanoTime;
    }

    /**
     * Fills the sample.
     *
     * @throws DeviceGoneException when the device does not answer as a whole
     */
    void read(Target target, GpuSample sample) throws DeviceGoneException {
        Reading reading = new Reading(sample, target.capabilities(), counters);
        memory(target, reading);
        activity(target, reading);
        if (target.isWhole()) {
            utilization(target.device(), reading);
            powerAndHeat(target, reading);
            clocks(target, reading);
            NvmlFields fields = target.device().fields(FIELDS);
            sample.setMemoryTemperatureCelsius(
                    reading.number(GpuField.MEMORY_TEMPERATURE, fields.of(Field.MEMORY_TEMPERATURE), MAX_CELSIUS));
            pcie(target, fields, reading);
            nvlink(target, fields, reading);
            errors(target, reading);
        }
    }

    private static void memory(Target target, Reading reading) throws DeviceGoneException {
        NvmlDevice device = target.device();
        Answer<DeviceMemory> answer = device.memoryV2();
        if (!target.hasSplitMemory()) {
            answer = answer.orIfLacking(device::memoryV1);
        }
        DeviceMemory memory = reading.take(GpuField.MEMORY, answer);
        GpuSample sample = reading.sample();
        boolean isUnified =
                memory == null ? answer.status() == NvmlStatus.NOT_SUPPORTED && target.isWhole() : memory.total() == 0;
        if (isUnified) {
            // The device shares the host's memory and has none of its own.
            reading.mark("unified-memory");
            return;
        }
        if (memory == null
                || !reading.isPossible(GpuField.MEMORY, memory.total(), MAX_ULONG)
                || !reading.isPossible(GpuField.MEMORY, memory.used(), memory.total())
                || !reading.isPossible(GpuField.MEMORY, memory.free(), memory.total())) {
            return;
        }
        if (memory.reserved() != null) {
            target.splitMemorySeen();
        }
        sample.setMemorySource(memory.source());
        sample.setTotalBytes(memory.total());
        sample.setUsedBytes(memory.used());
        sample.setReservedBytes(memory.reserved());
        sample.setFreeBytes(memory.free());
        if (target.isWhole()) {
            sample.setBar1UsedBytes(reading.number(GpuField.BAR1_MEMORY, device.bar1UsedBytes(), MAX_ULONG));
        }
    }

    /** Bandwidth, tensor cores and the rest over one and the same time: since the reading before. */
    private static void activity(Target target, Reading reading) throws DeviceGoneException {
        if (target.gpm().isEmpty()) {
            target.capabilities().note(GpuField.ACTIVITY, NvmlStatus.NOT_SUPPORTED);
            return;
        }
        Map<Metric, Double> window =
                reading.take(GpuField.ACTIVITY, target.gpm().get().window());
        if (window == null) {
            return;
        }
        GpuSample sample = reading.sample();
        sample.setEngineActivePpm(ppm(reading, window.get(Metric.ENGINE)));
        sample.setSmActivePpm(ppm(reading, window.get(Metric.SM)));
        sample.setSmOccupancyPpm(ppm(reading, window.get(Metric.OCCUPANCY)));
        sample.setTensorActivePpm(ppm(reading, window.get(Metric.TENSOR)));
        sample.setFp64ActivePpm(ppm(reading, window.get(Metric.FP64)));
        sample.setFp32ActivePpm(ppm(reading, window.get(Metric.FP32)));
        sample.setFp16ActivePpm(ppm(reading, window.get(Metric.FP16)));
        sample.setDramActivePpm(ppm(reading, window.get(Metric.DRAM)));
        if (sample.getDramActivePpm() != null && sample.getTensorActivePpm() != null) {
            sample.setReadingsApartMicros(0L);
        }
        if (target.isWhole()) {
            sample.setPcieSentBytesPerSecond(bytesPerSecond(window.get(Metric.PCIE_SENT)));
            sample.setPcieReceivedBytesPerSecond(bytesPerSecond(window.get(Metric.PCIE_RECEIVED)));
        }
    }

    private static void utilization(NvmlDevice device, Reading reading) throws DeviceGoneException {
        GpuSample sample = reading.sample();
        NvmlDevice.Utilization rates = reading.take(GpuField.UTILIZATION, device.utilization());
        if (rates != null
                && reading.isPossible(GpuField.UTILIZATION, rates.busyPercent(), MAX_PERCENT)
                && reading.isPossible(GpuField.UTILIZATION, rates.memoryPercent(), MAX_PERCENT)) {
            sample.setBusyPpm(rates.busyPercent() * PPM_PER_PERCENT);
            sample.setMemoryTrafficPpm(rates.memoryPercent() * PPM_PER_PERCENT);
        }
        sample.setEncoderPpm(reading.number(GpuField.ENCODER, device.encoderPercent(), MAX_PERCENT, PPM_PER_PERCENT));
        sample.setDecoderPpm(reading.number(GpuField.DECODER, device.decoderPercent(), MAX_PERCENT, PPM_PER_PERCENT));
    }

    private static void powerAndHeat(Target target, Reading reading) throws DeviceGoneException {
        NvmlDevice device = target.device();
        GpuSample sample = reading.sample();
        Long limit = reading.number(GpuField.POWER_LIMIT, device.powerLimitMilliwatts(), MAX_MILLIWATTS);
        // Drivers have answered kilowatts with success: half above what is enforced is an error of the sensor.
        long most = limit == null || limit == 0 ? MAX_MILLIWATTS : Math.min(limit * 3 / 2, MAX_MILLIWATTS);
        sample.setPowerLimitMilliwatts(limit);
        sample.setPowerMilliwatts(reading.number(GpuField.POWER, device.powerMilliwatts(), most));
        sample.setEnergyMillijoulesTotal(total(target, reading, GpuField.ENERGY, device.energyMillijoules(), 1));
        sample.setTemperatureCelsius(reading.number(GpuField.TEMPERATURE, device.temperatureCelsius(), MAX_CELSIUS));
        sample.setPowerThrottledTotalMicros(
                micros(total(target, reading, GpuField.POWER_THROTTLED, device.violationNanos(POWER_POLICY), 1)));
        sample.setThermalThrottledTotalMicros(
                micros(total(target, reading, GpuField.THERMAL_THROTTLED, device.violationNanos(HEAT_POLICY), 1)));
    }

    private static void clocks(Target target, Reading reading) throws DeviceGoneException {
        NvmlDevice device = target.device();
        GpuSample sample = reading.sample();
        sample.setSmClockMegahertz(reading.number(GpuField.SM_CLOCK, device.smClockMegahertz(), MAX_MEGAHERTZ));
        sample.setMemoryClockMegahertz(
                reading.number(GpuField.MEMORY_CLOCK, device.memoryClockMegahertz(), MAX_MEGAHERTZ));
        sample.setMaxSmClockMegahertz(
                reading.number(GpuField.MAX_SM_CLOCK, device.maxSmClockMegahertz(), MAX_MEGAHERTZ));
        Long bits = reading.take(GpuField.THROTTLE_REASONS, device.clocksEventReasons());
        if (bits != null) {
            sample.setThrottleReasons(ThrottleReason.labels(bits));
            sample.setThrottled(ThrottleReason.costsSpeed(bits));
        }
    }

    private void pcie(Target target, NvmlFields fields, Reading reading) throws DeviceGoneException {
        NvmlDevice device = target.device();
        GpuSample sample = reading.sample();
        sample.setPcieSentBytesTotal(total(target, reading, GpuField.PCIE_SENT, fields.of(Field.PCIE_SENT), 1));
        sample.setPcieReceivedBytesTotal(
                total(target, reading, GpuField.PCIE_RECEIVED, fields.of(Field.PCIE_RECEIVED), 1));
        boolean isToldOtherwise =
                sample.getPcieSentBytesTotal() != null || target.gpm().isPresent();
        if (!isToldOtherwise && target.isPcieSpeedDue(nanoTime.getAsLong(), PCIE_SPEED_PAUSE_NANOS)) {
            sample.setPcieSentBytesPerSecond(
                    reading.number(GpuField.PCIE_SENDING, device.pcieKilobytesPerSecond(0), MAX_UINT, 1_000));
            sample.setPcieReceivedBytesPerSecond(
                    reading.number(GpuField.PCIE_RECEIVING, device.pcieKilobytesPerSecond(1), MAX_UINT, 1_000));
        }
        sample.setPcieReplaysTotal(total(target, reading, GpuField.PCIE_REPLAYS, device.pcieReplays(), 1));
        long generations = PCIE_LANE_BYTES_PER_SECOND.length;
        sample.setPcieGeneration(
                integer(reading.number(GpuField.PCIE_GENERATION, device.pcieGeneration(false), generations)));
        sample.setPcieWidth(integer(reading.number(GpuField.PCIE_WIDTH, device.pcieWidth(false), MAX_LANES)));
        Long generation = reading.number(GpuField.PCIE_MAX, device.pcieGeneration(true), generations);
        Long lanes = reading.number(GpuField.PCIE_MAX, device.pcieWidth(true), MAX_LANES);
        if (generation != null && generation > 0 && lanes != null) {
            // Of the link at its best: at rest it falls back to an older generation by itself.
            sample.setPcieMaxBytesPerSecond(PCIE_LANE_BYTES_PER_SECOND[generation.intValue() - 1] * lanes);
        }
    }

    private static void nvlink(Target target, NvmlFields fields, Reading reading) throws DeviceGoneException {
        GpuSample sample = reading.sample();
        sample.setNvlinkSentBytesTotal(total(target, reading, GpuField.NVLINK_SENT, fields.of(Field.NVLINK_SENT), KIB));
        sample.setNvlinkReceivedBytesTotal(
                total(target, reading, GpuField.NVLINK_RECEIVED, fields.of(Field.NVLINK_RECEIVED), KIB));
        Long speed = reading.number(GpuField.NVLINK_MAX, fields.of(Field.NVLINK_SPEED), MAX_UINT);
        Long links = reading.number(GpuField.NVLINK_MAX, fields.of(Field.NVLINK_COUNT), MAX_LANES);
        if (speed != null && links != null) {
            sample.setNvlinkMaxBytesPerSecond(speed * links * MEGABYTE);
        }
        Long errors = null;
        for (Field field : NVLINK_ERRORS) {
            Long count = reading.number(GpuField.NVLINK_ERRORS, fields.of(field), MAX_ULONG);
            if (count != null) {
                errors = target.totals().grow(GpuField.NVLINK_ERRORS.label(), field.name(), count);
            }
        }
        sample.setNvlinkErrorsTotal(errors);
    }

    private static void errors(Target target, Reading reading) throws DeviceGoneException {
        NvmlDevice device = target.device();
        GpuSample sample = reading.sample();
        sample.setEccCorrectedTotal(total(target, reading, GpuField.ECC_CORRECTED, device.eccErrors(0), 1));
        sample.setEccUncorrectedTotal(total(target, reading, GpuField.ECC_UNCORRECTED, device.eccErrors(1), 1));
        NvmlDevice.RemappedRows rows = reading.take(GpuField.REMAPPED_ROWS, device.remappedRows());
        if (rows != null && reading.isPossible(GpuField.REMAPPED_ROWS, rows.rows(), MAX_UINT)) {
            sample.setRemappedRows(rows.rows());
            sample.setRowRemapFailed(rows.failed());
        }
    }

    private static @Nullable Long total(Target target, Reading reading, GpuField field, Answer<Long> answer, long times)
            throws DeviceGoneException {
        Long count = reading.number(field, answer, MAX_ULONG);
        return count == null ? null : Long.valueOf(target.totals().grow(field.label(), count) * times);
    }

    private static @Nullable Long micros(@Nullable Long nanos) {
        return nanos == null ? null : Long.valueOf(nanos / 1_000);
    }

    private static @Nullable Integer integer(@Nullable Long number) {
        return number == null ? null : Integer.valueOf(number.intValue());
    }

    private static @Nullable Long ppm(Reading reading, @Nullable Double percent) {
        if (percent == null) {
            return null;
        }
        long ppm = Math.round(percent * PPM_PER_PERCENT);
        return reading.isPossible(GpuField.ACTIVITY, ppm, MAX_PERCENT * PPM_PER_PERCENT) ? ppm : null;
    }

    private static @Nullable Long bytesPerSecond(@Nullable Double mebibytesPerSecond) {
        return mebibytesPerSecond == null || mebibytesPerSecond < 0
                ? null
                : Long.valueOf(Math.round(mebibytesPerSecond * MIB));
    }
}
