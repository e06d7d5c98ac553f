package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.Appended;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LogRead;
import dev.sluice.model.ClusterTime;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An Error anywhere between the source and the log costs a reconnect: no event, and not the thread. */
@Timeout(30)
class CaptureSurvivesErrorsTest {
    private final MemoryChangeSource source = new MemoryChangeSource(Duration.ofMillis(5));
    private final InMemoryEventLog log = new InMemoryEventLog();
    private final Loops loops = new Loops();

    /** So many calls succeed, the next one fails, all others succeed. */
    private static final class FailingOnce {
        private final AtomicInteger left = new AtomicInteger(-1);

        void after(int calls) {
            left.set(calls);
        }

        void call() {
            if (left.getAndUpdate(now -> now < 0 ? now : now - 1) == 0) {
                throw new LinkageError("on purpose");
            }
        }

        boolean hasFailed() {
            return left.get() < 0;
        }
    }

    private final FailingOnce reads = new FailingOnce();
    private final FailingOnce commits = new FailingOnce();

    @Test
    void inAReadOfTheSource() throws Exception {
        captureWith(reads);
    }

    @Test
    void inAWriteOfTheLog() throws Exception {
        captureWith(commits);
    }

    private void captureWith(FailingOnce failing) throws Exception {
        try (GroupCommitAppender appender = new GroupCommitAppender(this::commit);
                CaptureRunner runner = CaptureRunner.start(loops, loop(appender), null)) {
            await(() -> log.state().started());
            source.commit("orders", "a", "b");
            await(() -> log.state().events() == 2);
            failing.after(0);
            source.commit("orders", "c");
            await(failing::hasFailed);
            source.commit("orders", "d");
            await(() -> log.state().events() == 4);
            await(() -> runner.state().status() == CaptureStatus.HEALTHY);
            assertThat(documents()).containsExactly("a", "b", "c", "d");
            assertThat(loops.failing()).isEmpty();
        }
    }

    private GroupCommit commit() {
        return new GroupCommit(log, GroupCommitLimits.of(10, 30), FreeSpace.UNLIMITED, this::committed)
                .start(loops, "test-writer");
    }

    private void committed(Appended appended) {
        if (!appended.entries().isEmpty()) {
            commits.call();
        }
    }

    private CaptureLoop loop(GroupCommitAppender appender) {
        CaptureSettings settings = CaptureSettings.of("shop")
                .withReconnect(new ReconnectLimits(Duration.ofMillis(1), 5, Duration.ofMillis(10)));
        return new CaptureLoop(
                settings,
                new FailingSource(),
                log,
                appender,
                null,
                InstantSource.system(),
                System::nanoTime,
                new Random(1));
    }

    private final class FailingSource implements ChangeSource {
        @Override
        public ChangeCursor open(StartPoint from) throws SourceException {
            ChangeCursor cursor = source.open(from);
            return new ChangeCursor() {
                @Override
                public SourceBatch next() throws SourceException {
                    SourceBatch batch = cursor.next();
                    if (!batch.events().isEmpty()) {
                        reads.call();
                    }
                    return batch;
                }

                @Override
                public void close() {
                    cursor.close();
                }
            };
        }

        @Override
        public ClusterTime oldest() throws SourceException {
            return source.oldest();
        }

        @Override
        public void close() {
            source.close();
        }
    }

    private List<String> documents() {
        LogRead read = log.read(log.state().evictedThrough().position(), 100, Long.MAX_VALUE);
        return ((LogRead.Entries) read)
                .entries().stream()
                        .map(entry -> entry.event().documentId().text())
                        .toList();
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) {
        while (!condition.holds()) {
            Thread.onSpinWait();
        }
    }
}
