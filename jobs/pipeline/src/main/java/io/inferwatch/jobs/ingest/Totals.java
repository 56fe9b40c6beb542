package io.inferwatch.jobs.ingest;

import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.metrics.Counter;

/** Counters that the result of a job with an end tells too: accumulators of the same names, each summed over all tasks. */
public final class Totals {
    private Totals() {}

    /** A counter of the task, among its metrics and in the job's result. */
    public static Counter counter(RuntimeContext context, String name) {
        LongCounter total = new LongCounter();
        context.addAccumulator(name, total);
        return context.getMetricGroup().counter(name, new Total(total));
    }

    private record Total(LongCounter total) implements Counter {
        @Override
        public void inc() {
            total.add(1);
        }

        @Override
        public void inc(long n) {
            total.add(n);
        }

        @Override
        public void dec() {
            total.add(-1);
        }

        @Override
        public void dec(long n) {
            total.add(-n);
        }

        @Override
        public long getCount() {
            return total.getLocalValuePrimitive();
        }
    }
}
