package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.model.ClusterTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A source that deletes what was read is told what is on disk: before it is read on, and never of anything else. */
class ForgettingSourceTest {
    private final MemoryChangeSource changes = new MemoryChangeSource();
    private final InMemoryEventLog log = new InMemoryEventLog();
    private final List<String> calls = new ArrayList<>();
    private boolean diskIsFull;
    private @Nullable SourceException refusal;
    private CaptureLoop loop = newLoop();

    private CaptureLoop newLoop() {
        return new CaptureLoop(
                CaptureSettings.of("shop"),
                new Forgetting(),
                log,
                new Appender(),
                null,
                () -> Instant.ofEpochSecond(1000),
                () -> 0,
                new Random(7));
    }

    private void steps(int count) throws InterruptedException {
        for (int k = 0; k < count; k++) {
            loop.step();
        }
    }

    @Test
    void nothingIsReadOnBeforeTheSourceKnowsThatTheLastBatchIsOnDisk() throws Exception {
        steps(2);
        calls.clear();
        changes.commit("orders", "a");
        changes.commit("orders", "b");
        changes.batchSize(1);
        steps(2);
        assertThat(calls).containsExactly("read", "append 1", "durable", "read", "append 1", "durable");
    }

    @Test
    void whatIsNotOnDiskYetIsNotForgottenAndNothingIsReadMeanwhile() throws Exception {
        steps(2);
        calls.clear();
        diskIsFull = true;
        changes.commit("orders", "a");
        steps(5);
        assertThat(calls).containsExactly("read", "append 1");
        diskIsFull = false;
        steps(1);
        assertThat(calls).startsWith("read", "append 1", "durable", "read");
    }

    @Test
    void aStreamOpenedAfterACrashIsToldFirstWhatTheLogHas() throws Exception {
        steps(2);
        changes.commit("orders", "a");
        steps(1);
        calls.clear();
        loop = newLoop();
        steps(2);
        assertThat(calls).startsWith("durable", "read");
    }

    @Test
    void aSourceThatIsReadElsewhereIsWaitedForWithoutFailures() throws Exception {
        refusal = new SourceException(new SourceFailure.ReadElsewhere("another has it"));
        steps(50);
        assertThat(loop.state().status()).isEqualTo(CaptureStatus.STANDBY);
        assertThat(loop.state().reason()).isEqualTo("another has it");
        assertThat(loop.state().counters().connectionFailures()).isZero();
        refusal = null;
        changes.commit("orders", "a");
        steps(3);
        assertThat(loop.state().status()).isEqualTo(CaptureStatus.HEALTHY);
    }

    private final class Forgetting implements ChangeSource {
        @Override
        public ChangeCursor open(StartPoint from) throws SourceException {
            if (refusal != null) {
                throw refusal;
            }
            ChangeCursor cursor = changes.open(from);
            return new ChangeCursor() {
                @Override
                public SourceBatch next() throws SourceException {
                    calls.add("read");
                    return cursor.next();
                }

                @Override
                public boolean forgets() {
                    return true;
                }

                @Override
                public void durable(Checkpoint reached) {
                    assertThat(reached).isEqualTo(log.state().checkpoint());
                    calls.add("durable");
                }

                @Override
                public void close() {
                    cursor.close();
                }
            };
        }

        @Override
        public ClusterTime oldest() throws SourceException {
            return changes.oldest();
        }

        @Override
        public void close() {}
    }

    private final class Appender implements LogAppender {
        private final List<Runnable> waiting = new ArrayList<>();

        @Override
        public void submit(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
            if (!records.isEmpty()) {
                calls.add("append " + records.size());
            }
            waiting.add(() -> log.append(records, checkpoint));
        }

        @Override
        public @Nullable EventLogException failure() {
            return null;
        }

        @Override
        public boolean flush() {
            if (!diskIsFull) {
                waiting.forEach(Runnable::run);
                waiting.clear();
            }
            return waiting.isEmpty();
        }

        @Override
        public void reset() {}
    }
}
