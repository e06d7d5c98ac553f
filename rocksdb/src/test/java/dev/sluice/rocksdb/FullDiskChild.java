package dev.sluice.rocksdb;

import static dev.sluice.testkit.contract.SampleEvents.checkpoint;
import static dev.sluice.testkit.contract.SampleEvents.event;

import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogEntry;
import dev.sluice.log.LogPosition;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Fills its small disk, waits, makes room, goes on, and counts. Run in a mount namespace of its own. */
final class FullDiskChild {
    private FullDiskChild() {}

    public static void main(String[] args) throws Exception {
        Path disk = Path.of(args[0]);
        Path ballast = Files.write(disk.resolve("ballast"), new byte[24 << 20]);
        RocksSettings settings = new RocksSettings(1 << 20, false, RocksSettings.DEFAULT.segments());
        int written;
        try (RocksEventLog log = new RocksEventLog(disk, "main", settings)) {
            LiveTail tail = new LiveTail(log.state().head().position(), 64, 1 << 20);
            FreeSpace floor = FreeSpace.of(disk, Long.parseLong(args[1]));
            GroupCommit commits = new GroupCommit(log, GroupCommitLimits.of(20, 100), floor, tail::publish);
            commits.start("writer");
            AtomicBoolean stop = new AtomicBoolean();
            int[] last = {0};
            Thread producer = Thread.ofPlatform().start(() -> produce(commits, stop, last));
            await(() -> commits.status() instanceof GroupCommit.Status.WaitingForSpace);
            long stored = log.state().events();
            System.out.println("full after " + stored + ", readable " + count(new LogReader(log, tail), log));
            Files.delete(ballast);
            await(() -> log.state().events() > stored + 500);
            System.out.println("went on by itself");
            stop.set(true);
            producer.join();
            commits.flush(Duration.ofSeconds(30));
            commits.close();
            written = last[0];
            System.out.println("through the reader " + count(new LogReader(log, tail), log));
        }
        try (RocksEventLog log = new RocksEventLog(disk, "main", settings)) {
            long found =
                    count(new LogReader(log, new LiveTail(log.state().head().position(), 1, 1)), log);
            System.out.println("written " + written + " found " + found + " checkpoint "
                    + log.state().checkpoint().time().t());
            System.out.println(found == written ? "nothing lost" : "LOST");
        }
    }

    private static void produce(GroupCommit commits, AtomicBoolean stop, int[] last) {
        try {
            for (int n = 1; !stop.get(); n++) {
                commits.submit(List.of(event(n, 1, n, 4000)), checkpoint(n, 1));
                last[0] = n;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws Exception {
        for (int k = 0; !condition.holds(); k++) {
            if (k > 3000) {
                throw new IllegalStateException("waited in vain");
            }
            Thread.sleep(10);
        }
    }

    /** How many are there, one directly behind the other. */
    private static long count(LogReader reader, RocksEventLog log) {
        LogPosition at = log.state().evictedThrough().position();
        long last = 0;
        while (reader.read(at, 1000, Long.MAX_VALUE) instanceof LogRead.Entries read
                && !read.entries().isEmpty()) {
            for (LogEntry entry : read.entries()) {
                if (entry.event().hash() != ++last) {
                    throw new IllegalStateException("a hole at " + last);
                }
            }
            at = read.reached();
        }
        return last;
    }
}
