package dev.sluice.bench;

import java.lang.management.ManagementFactory;

/** One way of doing the work that is compared. */
public interface Contender {
    String name();

    /** False for one that only shows where the limit is: {@code --check} asks nothing of it. */
    default boolean isJudged() {
        return true;
    }

    /** Does one round; only what lies between {@link Stopwatch#start} and {@link Stopwatch#stop} counts. */
    Sample round() throws Exception;

    /** Wall time and the CPU time of the whole process. */
    final class Stopwatch {
        private static final com.sun.management.OperatingSystemMXBean SYSTEM =
                ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);

        private final long wall = System.nanoTime();
        private final long cpu = SYSTEM.getProcessCpuTime();

        private Stopwatch() {}

        public static Stopwatch start() {
            return new Stopwatch();
        }

        public Sample stop(long events) {
            return new Sample(events, System.nanoTime() - wall, SYSTEM.getProcessCpuTime() - cpu);
        }
    }
}
