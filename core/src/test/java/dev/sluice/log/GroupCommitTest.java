package dev.sluice.log;

import static dev.sluice.log.LogFixture.checkpoint;
import static dev.sluice.log.LogFixture.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GroupCommitTest {
    private final Loops loops = new Loops();
    private final List<Integer> batches = new ArrayList<>();
    private final InMemoryEventLog log = new InMemoryEventLog();
    private final List<Appended> published = new ArrayList<>();

    private GroupCommit commits(EventLog target, GroupCommitLimits limits, FreeSpace space) {
        return new GroupCommit(target, limits, space, appended -> {
            batches.add(appended.entries().size());
            published.add(appended);
        });
    }

    private GroupCommit commits() {
        return commits(log, GroupCommitLimits.of(10, 30), FreeSpace.UNLIMITED);
    }

    @Test
    void anIdleLogCommitsAtOnceAndABusyOneFillsItsBatches() throws InterruptedException {
        GroupCommit commits = commits();
        commits.submit(events(1, 2), null);
        assertThat(commits.step(Duration.ZERO)).isTrue();
        for (int n = 2; n < 27; n++) {
            commits.submit(events(n, n + 1), null);
        }
        while (commits.step(Duration.ZERO)) {}
        assertThat(batches).containsExactly(1, 10, 10, 5);
        assertThat(log.state().events()).isEqualTo(26);
    }

    @Test
    void aBigHandInIsCutAndItsCheckpointGoesWithItsLastPart() throws InterruptedException {
        GroupCommit commits = commits();
        commits.submit(events(1, 26), checkpoint(25));
        commits.step(Duration.ZERO);
        assertThat(log.state().events()).isEqualTo(10);
        assertThat(log.state().checkpoint()).as("never ahead of the events").isNull();
        commits.step(Duration.ZERO);
        commits.step(Duration.ZERO);
        assertThat(log.state().checkpoint()).isEqualTo(checkpoint(25));
        assertThat(batches).containsExactly(10, 10, 5);
    }

    @Test
    void aCheckpointAloneIsStoredToo() throws InterruptedException {
        GroupCommit commits = commits();
        commits.submit(List.of(), checkpoint(5));
        commits.step(Duration.ZERO);
        assertThat(log.state().checkpoint()).isEqualTo(checkpoint(5));
    }

    /** Row 3: a consumer must never see what a crash could still take away. */
    @Test
    void nothingIsPublishedBeforeItIsStored() throws InterruptedException {
        List<Long> storedWhenPublished = new ArrayList<>();
        GroupCommit commits = new GroupCommit(
                log,
                GroupCommitLimits.of(10, 30),
                FreeSpace.UNLIMITED,
                appended -> storedWhenPublished.add(log.state().head().id().hash()
                        - appended.entries().getLast().event().hash()));
        commits.submit(events(1, 21), null);
        commits.step(Duration.ZERO);
        commits.step(Duration.ZERO);
        assertThat(storedWhenPublished).containsExactly(0L, 0L);
    }

    /** A writer that ends in silence would hold up capture for ever. */
    @Test
    void whoeverHandsInHearsOfAnyFault() throws InterruptedException {
        GroupCommit commits = new GroupCommit(log, GroupCommitLimits.of(10, 30), FreeSpace.UNLIMITED, appended -> {
            throw new IllegalStateException("a listener with a bug");
        });
        commits.submit(events(1, 2), null);
        assertThatThrownBy(() -> commits.step(Duration.ZERO)).isInstanceOf(LogUnavailableException.class);
        assertThat(commits.status()).isInstanceOf(GroupCommit.Status.Failed.class);
        assertThatThrownBy(() -> commits.submit(events(2, 3), null)).isInstanceOf(LogUnavailableException.class);
    }

    /** What follows would be stored and shown behind a gap that nobody was told of. */
    @Test
    void afterAFaultThatCannotEvenBeToldNothingMoreIsStored() throws InterruptedException {
        GroupCommit commits = new GroupCommit(log, GroupCommitLimits.of(10, 30), FreeSpace.UNLIMITED, appended -> {
            throw new UntellableError();
        });
        commits.submit(events(1, 2), checkpoint(1));
        assertThatThrownBy(() -> commits.step(Duration.ZERO)).isInstanceOf(OutOfMemoryError.class);
        commits.submit(events(2, 3), checkpoint(2));
        assertThatThrownBy(() -> commits.step(Duration.ZERO)).isInstanceOf(LogUnavailableException.class);
        assertThat(log.state().checkpoint()).isEqualTo(checkpoint(1));
        assertThat(commits.status()).isInstanceOf(GroupCommit.Status.Failed.class);
        assertThatThrownBy(() -> commits.submit(events(3, 4), null)).isInstanceOf(LogUnavailableException.class);
    }

    /** Memory is so short that it cannot be said what failed. */
    private static final class UntellableError extends Error {
        @Override
        public String toString() {
            throw new OutOfMemoryError("test");
        }
    }

    /** The checkpoint of the next parcel would be stored without the events of the first. */
    @Test
    void aMergeThatRunsOutOfMemoryRemovesNothing() throws InterruptedException {
        CommitQueue queue = new CommitQueue(GroupCommitLimits.of(10, 30));
        AtomicBoolean memory = new AtomicBoolean();
        List<EventRecord> second = new AbstractList<>() {
            @Override
            public EventRecord get(int index) {
                if (!memory.get()) {
                    throw new OutOfMemoryError("test");
                }
                return LogFixture.event(2, 2);
            }

            @Override
            public int size() {
                return 1;
            }
        };
        queue.put(new CommitQueue.Parcel(events(1, 2), 1, null));
        queue.put(new CommitQueue.Parcel(second, 1, checkpoint(2)));
        assertThatThrownBy(() -> queue.takeBatch(0)).isInstanceOf(OutOfMemoryError.class);
        assertThat(queue.events()).isEqualTo(2);
        memory.set(true);
        CommitQueue.Parcel batch = queue.takeBatch(0);
        assertThat(batch).isNotNull();
        assertThat(batch.events()).hasSize(2);
        assertThat(batch.checkpoint()).isEqualTo(checkpoint(2));
        assertThat(queue.events()).isZero();
    }

    /** A writer that ends in silence would hold up capture for ever, whatever ended it. */
    @Test
    @Timeout(20)
    void whoeverHandsInHearsOfAWriterThatWasInterrupted() throws InterruptedException {
        FreeSpace interrupting = new FreeSpace(
                () -> {
                    Thread.currentThread().interrupt();
                    return 100;
                },
                100);
        GroupCommit commits = commits(log, GroupCommitLimits.of(10, 30), interrupting);
        commits.start(loops, "test-writer");
        assertThatThrownBy(() -> {
                    for (int n = 1; ; n++) {
                        commits.submit(events(n, n + 1), null);
                    }
                })
                .isInstanceOf(LogUnavailableException.class)
                .hasMessageContaining("interrupted");
        assertThat(commits.status()).isInstanceOf(GroupCommit.Status.Failed.class);
        commits.close();
        assertThat(loops.failing()).as("replaced").isEmpty();
    }

    @Test
    @Timeout(20)
    void closingDoesNotWaitForEverForAWriteThatDoesNotEnd() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        FreeSpace blocking = new FreeSpace(
                () -> {
                    stuck.countDown();
                    awaitUninterruptibly(release);
                    return 100;
                },
                100);
        GroupCommit commits = commits(log, GroupCommitLimits.of(10, 30), blocking);
        commits.start(loops, "test-writer");
        commits.submit(events(1, 2), checkpoint(1));
        stuck.await();
        commits.close(Duration.ofMillis(20));
        assertThat(commits.isWriting()).isTrue();
        assertThat(commits.status()).isEqualTo(new GroupCommit.Status.Closed());
        release.countDown();
        while (commits.isWriting()) {
            Thread.onSpinWait();
        }
    }

    /** As native code does. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            Thread.onSpinWait();
        }
    }

    /** Row 9: bounded in events and in bytes. */
    @Test
    void whoeverFillsTheQueueWaits() throws Exception {
        GroupCommit byEvents = commits(log, new GroupCommitLimits(10, 1000, 20, 1 << 20), FreeSpace.UNLIMITED);
        assertThat(handedInBeforeWaiting(byEvents)).isEqualTo(20);
        int size = events(1, 2).getFirst().size();
        GroupCommit byBytes = commits(log, new GroupCommitLimits(10, 1000, 20, 5L * size + 1), FreeSpace.UNLIMITED);
        assertThat(handedInBeforeWaiting(byBytes)).isEqualTo(5);
    }

    private static int handedInBeforeWaiting(GroupCommit commits) throws InterruptedException {
        Thread producer = Thread.ofPlatform().start(() -> {
            try {
                for (int n = 1; ; n++) {
                    commits.submit(events(n, n + 1), null);
                }
            } catch (InterruptedException done) {
                Thread.currentThread().interrupt();
            }
        });
        while (producer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        int queued = commits.queued();
        producer.interrupt();
        producer.join();
        return queued;
    }

    @Test
    void closeStoresWhatWaits() throws InterruptedException {
        GroupCommit commits = commits(log, GroupCommitLimits.of(10, 1000), FreeSpace.UNLIMITED);
        commits.submit(events(1, 501), checkpoint(500));
        commits.start(loops, "test-writer");
        commits.close();
        assertThat(log.state().events()).isEqualTo(500);
        assertThat(log.state().checkpoint()).isEqualTo(checkpoint(500));
        assertThat(commits.status()).isEqualTo(new GroupCommit.Status.Closed());
        assertThatThrownBy(() -> commits.submit(events(501, 502), null)).isInstanceOf(LogUnavailableException.class);
    }

    @Test
    void flushWaitsForWhatWasHandedIn() throws InterruptedException {
        try (GroupCommit commits = commits().start(loops, "test-writer")) {
            for (int n = 1; n < 100; n++) {
                commits.submit(events(n, n + 1), null);
            }
            assertThat(commits.flush(Duration.ofSeconds(10))).isTrue();
            assertThat(log.state().events()).isEqualTo(99);
        }
    }

    /** Row 8: at the floor capture waits, health says so, and it goes on by itself. */
    @Test
    void atTheFreeSpaceFloorNothingIsAppendedUntilThereIsRoom() throws InterruptedException {
        AtomicLong free = new AtomicLong(99);
        GroupCommit commits = commits(log, GroupCommitLimits.of(10, 30), new FreeSpace(free::get, 100));
        commits.submit(events(1, 6), null);
        assertThat(commits.step(Duration.ZERO)).isFalse();
        assertThat(commits.status()).isInstanceOf(GroupCommit.Status.WaitingForSpace.class);
        assertThat(((GroupCommit.Status.WaitingForSpace) commits.status()).reason())
                .contains("99 bytes left", "puller.buffer.min_free");
        assertThat(log.state().started()).isFalse();
        free.set(100);
        assertThat(commits.step(Duration.ZERO)).isTrue();
        assertThat(commits.status()).isEqualTo(new GroupCommit.Status.Running());
        assertThat(log.state().events()).isEqualTo(5);
    }

    @Test
    void closingAtTheFloorDoesNotWaitForRoom() throws InterruptedException {
        GroupCommit commits = commits(log, GroupCommitLimits.of(10, 30), new FreeSpace(() -> 0, 100));
        commits.start(loops, "test-writer");
        commits.submit(events(1, 6), checkpoint(5));
        commits.close();
        assertThat(log.state().checkpoint())
                .as("so the source sends them again")
                .isNull();
    }

    @Test
    void aFaultOfTheLogReachesWhoeverHandsInEvents() throws Exception {
        GroupCommit commits = commits();
        commits.submit(List.of(LogFixture.event(3, 3), LogFixture.event(5, 5)), null);
        commits.step(Duration.ZERO);
        commits.submit(events(4, 5), null);
        commits.start(loops, "test-writer");
        CountDownLatch told = new CountDownLatch(1);
        Thread producer = Thread.ofPlatform().start(() -> {
            try {
                for (int n = 6; ; n++) {
                    commits.submit(events(n, n + 1), null);
                }
            } catch (OutOfOrderException fault) {
                told.countDown();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
        producer.join();
        commits.close();
        assertThat(commits.status()).isInstanceOf(GroupCommit.Status.Failed.class);
    }

    /** An append may fail although it was stored; trying again must neither double nor hide the events. */
    @Test
    void anAppendThatFailedButWasStoredIsFoundByReadersAllTheSame() throws InterruptedException {
        FailingAfterStoring failing = new FailingAfterStoring(log);
        LiveTail tail = new LiveTail(log.state().head().position(), 100, 1 << 20);
        GroupCommit commits =
                new GroupCommit(failing, GroupCommitLimits.of(10, 30), FreeSpace.UNLIMITED, tail::publish);
        commits.submit(events(1, 4), null);
        assertThat(commits.step(Duration.ZERO)).isTrue();
        failing.fail = true;
        commits.submit(events(4, 7), null);
        assertThat(commits.step(Duration.ZERO)).isFalse();
        assertThat(commits.step(Duration.ZERO)).isTrue();
        commits.submit(events(7, 9), null);
        commits.step(Duration.ZERO);
        LogReader reader = new LogReader(log, tail);
        LogPosition third = new LogPosition(ClusterTime.of(3, 1), 1);
        assertThat(LogFixture.numbers(reader.read(third, 100, Long.MAX_VALUE))).containsExactly(4L, 5L, 6L, 7L, 8L);
    }

    private static final class FailingAfterStoring implements EventLog {
        private final EventLog log;
        private boolean fail;

        FailingAfterStoring(EventLog log) {
            this.log = log;
        }

        @Override
        public Appended append(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
            Appended appended = log.append(records, checkpoint);
            if (fail) {
                fail = false;
                throw new NoSpaceException("full", null);
            }
            return appended;
        }

        @Override
        public LogRead read(LogPosition after, int maxEvents, long maxBytes) {
            return log.read(after, maxEvents, maxBytes);
        }

        @Override
        public Located locate(EventId id) {
            return log.locate(id);
        }

        @Override
        public LogState state() {
            return log.state();
        }

        @Override
        public List<Segment> segments() {
            return log.segments();
        }

        @Override
        public Eviction evict(ClusterTime through) {
            return log.evict(through);
        }

        @Override
        public void close() {
            log.close();
        }
    }
}
