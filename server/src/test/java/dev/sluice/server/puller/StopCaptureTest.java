package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.MemoryChangeSource;
import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.StartPoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.run.Loops;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StopCaptureTest {
    @TempDir
    Path data;

    /** It would be read without a pause while it waits for the other: an outbox's database gets query after query. */
    @Test
    void aBackendEndsThoughAnotherTakesLongToStop() throws Exception {
        var slow = new Source();
        var quick = new Source();
        try (var first = start("slow", slow);
                var second = start("quick", quick)) {
            await("both read", () -> first.log().started() && second.log().started());
            slow.holdUp = true;
            await("held up", () -> slow.heldUp);
            var stopping = Thread.ofVirtual().start(() -> BackendPipeline.stopCapture(List.of(first, second)));
            try {
                await("the quick one has ended", () -> quick.ended);
                assertThat(slow.ended).isFalse();
                assertThat(quick.readsWithoutPause).isLessThan(2);
            } finally {
                slow.release.countDown();
                stopping.join();
            }
            assertThat(slow.ended).isTrue();
        }
    }

    private BackendPipeline start(String name, ChangeSource source) {
        var of = BackendSettings.of(new PullerSetup(data)
                        .backend(name, "mongodb://127.0.0.1:1/")
                        .config())
                .getFirst();
        var backend = BackendPipeline.open(
                new BackendSettings(
                        of.name(),
                        of.puller(),
                        of.path(),
                        of.minFree(),
                        loops -> source,
                        of.messages(),
                        of.capture(),
                        of.commit(),
                        of.retention(),
                        Optional.empty()),
                new PullerMeters(new SimpleMeterRegistry()),
                new Loops());
        backend.start();
        return backend;
    }

    /** Nothing comes from it; a read can be held up, whoever wants to stop. */
    private static final class Source implements ChangeSource {
        private final MemoryChangeSource source = new MemoryChangeSource(Duration.ofMillis(5));
        private final CountDownLatch release = new CountDownLatch(1);
        private volatile boolean holdUp;
        private volatile boolean heldUp;
        private volatile boolean waitsForNothing;
        private volatile int readsWithoutPause;
        private volatile boolean ended;

        @Override
        public ChangeCursor open(StartPoint from) throws SourceException {
            ChangeCursor cursor = source.open(from);
            return new ChangeCursor() {
                @Override
                @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
                public SourceBatch next() throws SourceException {
                    if (waitsForNothing) {
                        readsWithoutPause++;
                    }
                    if (holdUp) {
                        heldUp = true;
                        awaitRelease();
                    }
                    return cursor.next();
                }

                @Override
                public void close() {
                    cursor.close();
                    ended = true;
                }
            };
        }

        private void awaitRelease() {
            try {
                release.await();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public ClusterTime oldest() throws SourceException {
            return source.oldest();
        }

        @Override
        public void stopWaiting() {
            waitsForNothing = true;
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
