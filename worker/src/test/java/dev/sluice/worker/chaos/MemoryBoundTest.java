package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.partition.Partitions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker whose handlers do not go on holds a bounded number of messages and bytes, however many consumers it has. */
@Timeout(90)
class MemoryBoundTest {
    private static final int CONSUMERS_WITHOUT_LIMIT = 50;
    private static final int MAX_BYTES = 128 << 20;

    @Test
    void manyConsumersShareABoundInMessages() {
        int consumers = 200;
        int maxAckPending = 40;
        int bound = CONSUMERS_WITHOUT_LIMIT * maxAckPending * 8 / 10;
        int alone = consumers * maxAckPending * 8 / 10;
        int held = heldBy(consumers, maxAckPending, new byte[8]);
        assertThat(held).isBetween(consumers, bound + consumers).isLessThan(alone / 3);
    }

    @Test
    void largeMessagesAreBoundedInBytes() {
        byte[] large = new byte[1 << 20];
        int held = heldBy(4, 500, large);
        assertThat((long) held * large.length).isBetween(MAX_BYTES / 2L, 2L * MAX_BYTES);
    }

    /** Messages in the queues once the worker asks for no more. */
    private static int heldBy(int partitions, int maxAckPending, byte[] body) {
        List<String> subjects =
                IntStream.range(0, partitions).mapToObj(k -> "o." + k).toList();
        CountDownLatch go = new CountDownLatch(1);
        try (InMemoryCoordinationStore store = new InMemoryCoordinationStore();
                Worker worker = Worker.builder(null).stream("ORDERS")
                        .prefix("bounded")
                        .partitions(Partitions.list(subjects))
                        .handler((context, message) -> {
                            go.await();
                            return Outcome.done();
                        })
                        .store(store)
                        .messageStream(new EndlessStream(subjects, body))
                        .settings(WorkerSettings.DEFAULT.with(s -> {
                            s.stabiliser = StabiliserSettings.IMMEDIATE;
                            s.consumers = ConsumerMode.PER_PARTITION;
                            s.maxAckPending = maxAckPending;
                            s.batch = Math.min(s.batch, maxAckPending);
                        }))
                        .start()) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> worker.status().lanes().stream()
                                    .filter(lane -> lane.queued() > 0)
                                    .count()
                            == partitions);
            AtomicInteger held = new AtomicInteger();
            await().atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(600))
                    .until(() -> isSame(held, worker.status().queued()));
            worker.pause();
            go.countDown();
            System.out.printf(
                    "%d consumers, max_ack_pending %d, %d bytes each: %d messages held%n",
                    partitions, maxAckPending, body.length, held.get());
            return held.get();
        }
    }

    private static boolean isSame(AtomicInteger before, int now) {
        return before.getAndSet(now) == now;
    }
}
