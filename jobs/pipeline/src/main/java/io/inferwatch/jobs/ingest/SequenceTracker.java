package io.inferwatch.jobs.ingest;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Which sequence numbers of one publisher's stream were seen. Numbers may come in any order, because a publisher drains its spool beside
 * live events. What lies between the least number seen and the number that the stream will use next, and was not seen, is missing.
 *
 * <p>At most {@value #MAX_RANGES} holes are remembered; when there are more, the lowest is given up: its events count as lost, and are
 * taken for repeats should they ever come. Not thread safe.
 */
public final class SequenceTracker {
    private static final int MAX_RANGES = 256;

    /** Inclusive start and exclusive end of each range seen, rising and apart. */
    private long[] ranges = new long[2];

    private int rangeCount;
    private long next;
    private long lost;
    private long lastEventMillis = Long.MIN_VALUE;

    /** Notes a number; false when it was seen before. */
    public boolean see(long sequence) {
        if (sequence >= next) {
            next = sequence + 1;
        }
        int last = rangeCount - 1;
        if (last >= 0 && ranges[2 * last + 1] == sequence) {
            ranges[2 * last + 1] = sequence + 1;
            return true;
        }
        int at = rangeAtOrBelow(sequence);
        if (at >= 0 && sequence < ranges[2 * at + 1]) {
            return false;
        }
        boolean joinsBelow = at >= 0 && ranges[2 * at + 1] == sequence;
        boolean joinsAbove = at + 1 < rangeCount && ranges[2 * (at + 1)] == sequence + 1;
        if (joinsBelow && joinsAbove) {
            ranges[2 * at + 1] = ranges[2 * at + 3];
            remove(at + 1);
        } else if (joinsBelow) {
            ranges[2 * at + 1] = sequence + 1;
        } else if (joinsAbove) {
            ranges[2 * (at + 1)] = sequence;
        } else {
            insert(at + 1, sequence, sequence + 1);
            giveUpLowestHoleWhenFull();
        }
        return true;
    }

    /** Notes from a heartbeat which number the stream will use next. */
    void expect(long nextSequence) {
        if (rangeCount == 0) {
            // Nothing seen yet: what lies below is not ours to miss, the topic may no longer hold it.
            if (nextSequence > 0 && next == 0) {
                next = nextSequence;
                insert(0, nextSequence, nextSequence);
            }
            return;
        }
        next = Math.max(next, nextSequence);
    }

    /** Numbers between the least seen and the next that were not seen, those given up left out. */
    public long missing() {
        if (rangeCount == 0) {
            return 0;
        }
        long seen = 0;
        for (int i = 0; i < rangeCount; i++) {
            seen += ranges[2 * i + 1] - ranges[2 * i];
        }
        return next - ranges[0] - seen;
    }

    /** Numbers given up for lost. */
    long lost() {
        return lost;
    }

    /** Event time of the stream's latest record, epoch milliseconds. */
    long lastEventMillis() {
        return lastEventMillis;
    }

    void touch(long eventMillis) {
        lastEventMillis = Math.max(lastEventMillis, eventMillis);
    }

    /** Takes over all that another tracker of the same stream saw. */
    void merge(SequenceTracker other) {
        for (int i = 0; i < other.rangeCount; i++) {
            addRange(other.ranges[2 * i], other.ranges[2 * i + 1]);
        }
        next = Math.max(next, other.next);
        lost = Math.max(lost, other.lost);
        touch(other.lastEventMillis);
    }

    /** Writes all that it knows. */
    public void write(DataOutput out) throws IOException {
        out.writeLong(lastEventMillis);
        out.writeLong(next);
        out.writeLong(lost);
        out.writeInt(rangeCount);
        for (int i = 0; i < 2 * rangeCount; i++) {
            out.writeLong(ranges[i]);
        }
    }

    /** Reads what {@link #write} wrote. */
    public static SequenceTracker read(DataInput in) throws IOException {
        SequenceTracker tracker = new SequenceTracker();
        tracker.lastEventMillis = in.readLong();
        tracker.next = in.readLong();
        tracker.lost = in.readLong();
        tracker.rangeCount = in.readInt();
        tracker.ranges = new long[Math.max(2, 2 * tracker.rangeCount)];
        for (int i = 0; i < 2 * tracker.rangeCount; i++) {
            tracker.ranges[i] = in.readLong();
        }
        return tracker;
    }

    private void addRange(long start, long end) {
        int first = 0;
        while (first < rangeCount && ranges[2 * first + 1] < start) {
            first++;
        }
        int last = first;
        long from = start;
        long to = end;
        while (last < rangeCount && ranges[2 * last] <= end) {
            from = Math.min(from, ranges[2 * last]);
            to = Math.max(to, ranges[2 * last + 1]);
            last++;
        }
        for (int i = last - 1; i >= first; i--) {
            remove(i);
        }
        insert(first, from, to);
        giveUpLowestHoleWhenFull();
    }

    private void giveUpLowestHoleWhenFull() {
        if (rangeCount > MAX_RANGES) {
            lost += ranges[2] - ranges[1];
            ranges[1] = ranges[3];
            remove(1);
        }
    }

    private int rangeAtOrBelow(long sequence) {
        int low = 0;
        int high = rangeCount - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (ranges[2 * middle] <= sequence) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    private void insert(int at, long start, long end) {
        if (2 * rangeCount == ranges.length) {
            ranges = Arrays.copyOf(ranges, 2 * ranges.length);
        }
        System.arraycopy(ranges, 2 * at, ranges, 2 * at + 2, 2 * (rangeCount - at));
        ranges[2 * at] = start;
        ranges[2 * at + 1] = end;
        rangeCount++;
    }

    private void remove(int at) {
        System.arraycopy(ranges, 2 * at + 2, ranges, 2 * at, 2 * (rangeCount - at - 1));
        rangeCount--;
    }
}
