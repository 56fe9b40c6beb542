package io.inferwatch.local.bench;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a JVM did between 35 % and 97 % of its records: start-up, warm-up and the last windows are left out.
 *
 * @param records polled in that time
 * @param seconds that it took
 * @param wholeSeconds from the first record to the end, warm-up included
 * @param processor time in those seconds; its own is that of the whole JVM, collector and compiler included
 */
record SteadyState(long records, double seconds, double wholeSeconds, ProcessorTime processor) {
    private static final double FROM = 0.35;
    private static final double TO = 0.97;
    private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(2);
    private static final String MARK = "steady-state";
    private static final Pattern LINE = Pattern.compile(MARK + " (\\d+) (\\S+) (\\S+) (\\S+) (\\S+) (\\S+)");

    /** What is to be measured; returns when all records are through. */
    interface Work {
        /** Does it. */
        void run() throws Exception;
    }

    /** Records a second. */
    double rate() {
        return records / seconds;
    }

    /** Processor time of a record in the JVM, microseconds. */
    double cpuMicros() {
        return processor.own() * 1e6 / records;
    }

    /** Processor time of a record in the broker, microseconds. */
    double brokerMicros() {
        return processor.broker() * 1e6 / records;
    }

    /** Processor time of a record in the JVM and the broker, microseconds: what a machine that others share tells best. */
    double bothMicros() {
        return cpuMicros() + brokerMicros();
    }

    /** Processors that others kept busy meanwhile. */
    double othersCores() {
        return processor.others() / seconds;
    }

    /** Runs the work while watching {@link PolledRecords}. */
    static SteadyState of(long totalRecords, long brokerPid, Work work) throws Exception {
        Watcher watcher = new Watcher(totalRecords, brokerPid);
        watcher.start();
        work.run();
        long end = System.nanoTime();
        watcher.join();
        return watcher.result(end);
    }

    /** The line by which a child process tells its result. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%s %d %.6f %.6f %.6f %.6f %.6f",
                MARK,
                records,
                seconds,
                wholeSeconds,
                processor.own(),
                processor.broker(),
                processor.machine());
    }

    /** The result in a child's output, if it got so far. */
    static Optional<SteadyState> parse(String output) {
        Matcher matcher = LINE.matcher(output);
        return matcher.find()
                ? Optional.of(new SteadyState(
                        Long.parseLong(matcher.group(1)),
                        Double.parseDouble(matcher.group(2)),
                        Double.parseDouble(matcher.group(3)),
                        new ProcessorTime(
                                Double.parseDouble(matcher.group(4)),
                                Double.parseDouble(matcher.group(5)),
                                Double.parseDouble(matcher.group(6)))))
                : Optional.empty();
    }

    private record Sample(long records, long nanos, ProcessorTime processor) {}

    private static final class Watcher extends Thread {
        private final long totalRecords;
        private final long brokerPid;
        private Sample first;
        private Sample from;
        private Sample to;

        Watcher(long totalRecords, long brokerPid) {
            super("bench-watcher");
            this.totalRecords = totalRecords;
            this.brokerPid = brokerPid;
            first = now();
            from = first;
            to = first;
            setDaemon(true);
        }

        @Override
        public void run() {
            first = await(1);
            from = await((long) (FROM * totalRecords));
            to = await((long) (TO * totalRecords));
        }

        private Sample await(long records) {
            while (PolledRecords.total() < records) {
                LockSupport.parkNanos(SAMPLE_INTERVAL.toNanos());
            }
            return now();
        }

        private Sample now() {
            return new Sample(PolledRecords.total(), System.nanoTime(), ProcessorTime.now(brokerPid));
        }

        SteadyState result(long endNanos) {
            return new SteadyState(
                    to.records - from.records,
                    (to.nanos - from.nanos) / 1e9,
                    (endNanos - first.nanos) / 1e9,
                    to.processor.since(from.processor));
        }
    }
}
