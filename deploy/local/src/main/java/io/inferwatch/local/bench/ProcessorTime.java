package io.inferwatch.local.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Processor time so far, seconds; broker and machine are 0 where /proc does not tell them.
 *
 * @param own of this process
 * @param broker of the broker's
 * @param machine of everything on the machine, time stolen by its host included
 */
record ProcessorTime(double own, double broker, double machine) {
    /** Linux counts in hundredths of a second for user programs. */
    private static final double TICKS_PER_SECOND = 100;

    private static final Pattern BLANKS = Pattern.compile(" +");
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Now. */
    static ProcessorTime now(long brokerPid) {
        return new ProcessorTime(SYSTEM.getProcessCpuTime() / 1e9, ofProcess(brokerPid), ofMachine());
    }

    /** What was spent since an earlier time. */
    ProcessorTime since(ProcessorTime earlier) {
        return new ProcessorTime(own - earlier.own, broker - earlier.broker, machine - earlier.machine);
    }

    /** What neither this process nor the broker spent. */
    double others() {
        return Math.max(0, machine - own - broker);
    }

    /** User and system time of a process so far, seconds; 0 when it is gone. */
    static double ofProcess(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // After the name, which may hold blanks, the 12th and 13th fields are user and system time.
            String[] fields = BLANKS.split(stat.substring(stat.lastIndexOf(')') + 2), -1);
            return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
        } catch (IOException e) {
            return 0;
        }
    }

    private static double ofMachine() {
        try {
            List<String> lines = Files.readAllLines(Path.of("/proc/stat"));
            String[] fields = BLANKS.split(lines.get(0), -1);
            // cpu user nice system idle iowait irq softirq steal
            long busy = 0;
            for (int i : new int[] {1, 2, 3, 6, 7, 8}) {
                busy += Long.parseLong(fields[i]);
            }
            return busy / TICKS_PER_SECOND;
        } catch (IOException e) {
            return 0;
        }
    }
}
