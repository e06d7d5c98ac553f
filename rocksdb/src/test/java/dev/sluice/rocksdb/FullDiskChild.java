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
import dev.sluice.run.Loops;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/** Fills its small disk, waits, makes room, goes on, and counts. Runs in a mount namespace of its own. */
final class FullDiskChild {
    private static final int LITTLE = 12 << 20;
    private static final byte[] BLOCK = new byte[1 << 20];

    private FullDiskChild() {}

    /** Its directory, the floor, how often the disk fills, the size of an event. */
    public static void main(String[] args) throws Exception {
        Path disk = Path.of(args[0]);
        long floor = Long.parseLong(args[1]);
        int size = Integer.parseInt(args[3]);
        RocksSettings settings = new RocksSettings(1 << 20, false, RocksSettings.DEFAULT.segments());
        int written;
        try (RocksEventLog log = new RocksEventLog(disk, "main", settings)) {
            LiveTail tail = new LiveTail(log.state().head().position(), 64, 1 << 20);
            GroupCommit commits =
                    new GroupCommit(log, GroupCommitLimits.of(20, 100), FreeSpace.of(disk, floor), tail::publish);
            commits.start(new Loops(), "writer");
            AtomicBoolean stop = new AtomicBoolean();
            ReentrantLock turn = new ReentrantLock(true);
            int[] last = {0};
            turn.lock();
            Thread producer = Thread.ofPlatform().start(() -> produce(commits, size, turn, stop, last));
            for (int times = Integer.parseInt(args[2]); times > 0; times--) {
                Path ballast = fill(disk);
                turn.unlock();
                await(() -> commits.status() instanceof GroupCommit.Status.WaitingForSpace);
                long stored = log.state().events();
                long readable = count(new LogReader(log, tail), log);
                System.out.println(
                        "full after " + stored + ", " + (readable == stored ? "all" : readable) + " readable");
                stop.set(times == 1);
                Files.delete(ballast);
                // The producer submits only while the ballast is there: what it submits must fit on the disk in the
                // end.
                turn.lock();
                await(() -> log.state().events() > stored);
                System.out.println("went on by itself");
            }
            turn.unlock();
            producer.join();
            if (!commits.flush(Duration.ofSeconds(30))) {
                throw new IllegalStateException("the disk is full again, with " + last[0] + " submitted");
            }
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

    /** A file of ballast takes the whole disk but for {@link #LITTLE} bytes. */
    private static Path fill(Path disk) throws Exception {
        long room = Files.getFileStore(disk).getUsableSpace();
        Path ballast = disk.resolve("ballast");
        try (OutputStream file = Files.newOutputStream(ballast)) {
            for (long left = room - LITTLE; left > 0; left -= BLOCK.length) {
                file.write(BLOCK, 0, (int) Math.min(left, BLOCK.length));
            }
        }
        return ballast;
    }

    private static void produce(GroupCommit commits, int size, ReentrantLock turn, AtomicBoolean stop, int[] last) {
        try {
            for (int n = 1; !stop.get(); n++) {
                turn.lock();
                try {
                    commits.submit(List.of(event(n, 1, n, size)), checkpoint(n, 1));
                    last[0] = n;
                } finally {
                    turn.unlock();
                }
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
