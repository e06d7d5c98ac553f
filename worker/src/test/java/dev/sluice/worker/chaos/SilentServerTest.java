package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.partition.FixedStream;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker is closed while a change of its consumers gets no answer. */
class SilentServerTest {
    private static final long REQUEST_TIMEOUT_SECONDS = 60;

    /** A stream whose server takes requests that change consumers, and never answers. */
    private static final class SilentStream extends ForwardingStream {
        private final AtomicInteger waiting = new AtomicInteger();
        private final AtomicInteger interrupted = new AtomicInteger();

        private SilentStream() {
            super(new FixedStream().with("o.1", "o.2"));
        }

        @Override
        public ConsumerState create(ConsumerSpec spec) {
            waiting.incrementAndGet();
            try {
                boolean answered = new CountDownLatch(1).await(REQUEST_TIMEOUT_SECONDS, TimeUnit.SECONDS);
                throw new StreamUnavailableException("answered: " + answered, null);
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                Thread.currentThread().interrupt();
                throw new StreamUnavailableException("interrupted", e);
            }
        }

        @Override
        public boolean delete(String name) {
            throw new StreamUnavailableException("no answer", null);
        }
    }

    @Test
    @Timeout(REQUEST_TIMEOUT_SECONDS / 2)
    void closeInterruptsAnUpdateThatGetsNoAnswer() {
        SilentStream stream = new SilentStream();
        try (InMemoryCoordinationStore store = new InMemoryCoordinationStore()) {
            Worker worker = Worker.builder(null).stream("ORDERS")
                    .prefix("silent")
                    .partitions(Partitions.list(List.of("o.1", "o.2")))
                    .handler((context, message) -> Outcome.done())
                    .store(store)
                    .messageStream(stream)
                    .settings(WorkerSettings.DEFAULT.with(s -> s.stabiliser = StabiliserSettings.IMMEDIATE))
                    .start();
            await().atMost(Duration.ofSeconds(20)).until(() -> stream.waiting.get() == 1);
            long begin = System.nanoTime();
            worker.close();
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            assertThat(stream.interrupted).hasValue(1);
            assertThat(took)
                    .as("an update interrupted by close ends within a second")
                    .isLessThan(Duration.ofSeconds(1));
        }
    }
}
