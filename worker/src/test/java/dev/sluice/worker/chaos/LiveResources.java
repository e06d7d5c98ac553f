package dev.sluice.worker.chaos;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What this JVM holds at rest: the least of a few looks, because handlers run meanwhile.
 *
 * @param heapBytes used after a garbage collection
 * @param threads platform threads
 * @param virtualThreads that have not ended
 */
record LiveResources(long heapBytes, int threads, long virtualThreads) {
    private static final int LOOKS = 5;

    /** @param folder for the list of virtual threads, which only a dump shows */
    static LiveResources now(Path folder) throws IOException {
        LiveResources least = new LiveResources(Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
        for (int k = 0; k < LOOKS; k++) {
            System.gc();
            long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            int threads = ManagementFactory.getThreadMXBean().getThreadCount();
            least = new LiveResources(
                    Math.min(least.heapBytes, heap),
                    Math.min(least.threads, threads),
                    Math.min(least.virtualThreads, virtualThreads(folder)));
        }
        return least;
    }

    private static long virtualThreads(Path folder) throws IOException {
        Path dump = folder.resolve("threads-" + System.nanoTime() + ".txt").toAbsolutePath();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), ThreadDumpFormat.TEXT_PLAIN);
        try (Stream<String> lines = Files.lines(dump)) {
            return lines.filter(line -> line.startsWith("#") && line.contains(" virtual"))
                    .count();
        }
    }

    @Override
    public String toString() {
        return "live heap %,d B, %d platform threads, %d virtual threads".formatted(heapBytes, threads, virtualThreads);
    }
}
