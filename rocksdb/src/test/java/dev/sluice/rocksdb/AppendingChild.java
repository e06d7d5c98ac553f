package dev.sluice.rocksdb;

import static dev.sluice.testkit.contract.SampleEvents.checkpoint;
import static dev.sluice.testkit.contract.SampleEvents.event;

import dev.sluice.log.EventRecord;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.SegmentLimits;
import dev.sluice.model.ClusterTime;
import dev.sluice.run.Loops;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A process that appends numbered events for ever, from where the log ends, and prints what is acknowledged. */
final class AppendingChild {
    private AppendingChild() {}

    public static void main(String[] args) throws InterruptedException {
        RocksSettings settings = new RocksSettings(64 << 10, false, new SegmentLimits(100_000, 5));
        RocksEventLog log = new RocksEventLog(Path.of(args[0]), "main", settings);
        Random random = new Random();
        int next = log.state().started() ? (int) log.state().head().id().hash() + 1 : 1;
        GroupCommit commits = new GroupCommit(log, GroupCommitLimits.of(50, 200), FreeSpace.UNLIMITED, appended -> {
            if (!appended.entries().isEmpty()) {
                System.out.println(
                        "stored " + appended.entries().getLast().event().hash());
            }
        });
        commits.start(new Loops(), "writer");
        while (true) {
            List<EventRecord> events = new ArrayList<>();
            int count = 1 + random.nextInt(60);
            for (int n = next; n < next + count; n++) {
                // Three share one cluster time, as in a transaction.
                events.add(event(1 + n / 3, 1, n, random.nextInt(800)));
            }
            next += count;
            int last = next - 1;
            commits.submit(events, checkpoint(1 + last / 3, last));
            if (random.nextInt(20) == 0) {
                log.evict(ClusterTime.of(Math.max(1, next / 3 - 2000), 1));
            }
        }
    }
}
