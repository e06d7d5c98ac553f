package dev.sluice.worker.chaos;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.GroupControl;
import dev.sluice.coordinate.StoredClaims.StoredClaim;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.cursor.CursorTable;
import dev.sluice.worker.partition.PartitionDirectory;
import dev.sluice.worker.partition.PartitionMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Looks at the store of a group again and again, and keeps which claims and cursors it had. */
final class CursorWitness implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 200;

    private final SavedCursors found;
    private final GroupControl control;
    private final CursorStore cursors;
    private final PartitionDirectory directory;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;
    private long lookedAt;

    CursorWitness(CoordinationStore store, String group, SavedCursors found) {
        this.found = found;
        this.control = new GroupControl(store, group);
        this.cursors = new CursorStore(store, group);
        this.directory = new PartitionDirectory(store, group);
        this.lookedAt = System.nanoTime();
        this.thread = Thread.ofVirtual().name("cursor-witness").start(this::run);
    }

    private void run() {
        try {
            while (!stopped.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The cursors first: what they are here, they were before a claim that is listed after them for the first time. */
    private void look() {
        try {
            PartitionMap partitions = directory.read();
            var values = cursors.values();
            long now = System.nanoTime();
            var claims = control.claims().claims();
            values.values()
                    .forEach(value -> CursorTable.parse(value.value())
                            .entries()
                            .forEach((index, entry) -> partitions
                                    .at(index)
                                    .ifPresent(partition -> found.saved(
                                            ChaosArguments.partition(partition.filter()),
                                            entry.token(),
                                            entry.cursor(),
                                            now))));
            claims.forEach((index, claim) -> partitions
                    .at(index)
                    .ifPresent(partition -> claimed(ChaosArguments.partition(partition.filter()), claim)));
            lookedAt = now;
        } catch (RuntimeException unavailable) {
            // What is not seen only makes the judgement milder.
        }
    }

    private void claimed(int partition, StoredClaim claim) {
        FencingToken token = claim.token();
        boolean held = !claim.owner().isEmpty();
        if (held && !claim.position().isEmpty()) {
            found.claimed(partition, token, Cursor.parse(claim.position()), lookedAt);
        }
    }

    @Override
    public void close() throws InterruptedException {
        stopped.countDown();
        thread.join();
    }
}
