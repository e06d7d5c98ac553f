package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CaptureRunnerTest {
    private final MemoryChangeSource source = new MemoryChangeSource(Duration.ofMillis(5));
    private final InMemoryEventLog log = new InMemoryEventLog();
    private final Loops loops = new Loops();
    private final AwayForLong store = new AwayForLong();

    /** The source is away, and its mirror with it: the attempt under way is given up and no other begins. */
    @Test
    void aStopDoesNotWaitForAMirrorThatIsAway() throws Exception {
        try (GroupCommitAppender appender = new GroupCommitAppender(this::commit)) {
            CaptureLoop loop = new CaptureLoop(
                    CaptureSettings.of("shop"),
                    source,
                    log,
                    appender,
                    null,
                    InstantSource.system(),
                    System::nanoTime,
                    new Random(1));
            CheckpointMirror mirror = new CheckpointMirror(
                    store,
                    new CheckpointPolicy(Duration.ofMillis(1), 1000),
                    log::state,
                    loop.state(),
                    System::nanoTime);
            CaptureRunner runner = CaptureRunner.start(loops, loop, mirror);
            store.waiting.await();
            runner.close();
            assertThat(store.attempts).hasValue(2);
        }
    }

    private GroupCommit commit() {
        return new GroupCommit(log, GroupCommitLimits.of(10, 30), FreeSpace.UNLIMITED, appended -> {})
                .start(loops, "test-writer");
    }

    /** Refuses the first attempt and lets all others wait until they are interrupted. */
    private static final class AwayForLong implements CheckpointStore {
        private final AtomicInteger attempts = new AtomicInteger();
        private final CountDownLatch waiting = new CountDownLatch(1);

        @Override
        public void save(String name, Checkpoint checkpoint) {
            if (attempts.incrementAndGet() > 1) {
                waiting.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException givenUp) {
                    Thread.currentThread().interrupt();
                }
            }
            throw new CheckpointException("the store is away", new IllegalStateException());
        }

        @Override
        public Optional<Checkpoint> load(String name) {
            return Optional.empty();
        }

        @Override
        public Map<String, Checkpoint> list() {
            return Map.of();
        }

        @Override
        public void delete(String name) {}

        @Override
        public void close() {}
    }
}
