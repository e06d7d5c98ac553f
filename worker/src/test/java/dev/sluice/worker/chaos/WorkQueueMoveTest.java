package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.MessageHandler;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.partition.Partitions;
import io.nats.client.api.RetentionPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * On a work queue the messages of a partition that moves stay un-acknowledged on the consumer that delivered them. They must
 * not be acknowledged there, which would delete them, and must not wait for the end of the ack wait to reach the next owner.
 */
class WorkQueueMoveTest {
    private static final Duration ACK_WAIT = LocalWorkers.SOON.multipliedBy(4);
    private static final int MESSAGES = 150;
    private static final Duration SLOW = Duration.ofMillis(200);
    private static final Duration FAST = Duration.ofMillis(5);

    @Test
    void theNextOwnerHandlesAtOnceWhatTheOneBeforeHadQueued() throws Exception {
        try (LocalWorkers stage =
                new LocalWorkers(NatsServer.shared(NatsLine.NEWEST), "strays", 2, RetentionPolicy.WorkQueue)) {
            AtomicBoolean moved = new AtomicBoolean();
            MessageHandler handler = stage.handler("first");
            Worker first = start(stage, "first", (context, message) -> {
                // So that messages are queued when the partition moves, however long that takes.
                LockSupport.parkNanos((moved.get() ? FAST : SLOW).toNanos());
                return handler.handle(context, message);
            });
            await().atMost(LocalWorkers.SOON).until(() -> first.status().subjects() == 2);
            stage.publish(MESSAGES);
            await().atMost(LocalWorkers.SOON).until(() -> first.status().queued() > MESSAGES);
            MessageHandler next = stage.handler("second");
            Worker second = start(stage, "second", (context, message) -> {
                moved.set(true);
                return next.handle(context, message);
            });
            // Long before the ack wait of what the first one had queued is over.
            stage.awaitHandled();
            assertThat(second.counters().handled.sum()).isPositive();
            Verdict verdict = stage.ledger.verdict();
            verdict.assertClean();
            assertThat(verdict.takeovers()).as("moves").isPositive();
            assertThat(verdict.duplicates()).as("repeated in a planned move").isZero();
        }
    }

    private static Worker start(LocalWorkers stage, String name, MessageHandler handler) throws Exception {
        return stage.start(name, WorkQueueMoveTest::joined, Partitions.list(stage.subjects()), handler);
    }

    /** All partitions of a worker share one consumer, whose messages come again after minutes. */
    private static void joined(WorkerSettings.Draft draft) {
        draft.maxSingles = 0;
        draft.ackWait = ACK_WAIT;
    }
}
