package dev.sluice.worker.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.Delivery;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.NatsMessageStream;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The last deliveries of a partition are lost in the client, and no later one shows it. */
class LostTailTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int LOST = 3;

    private final String name = "tail-" + System.nanoTime();

    /** Loses the first deliveries. */
    private static final class LosesFirst extends ForwardingStream {
        private final AtomicInteger left = new AtomicInteger(LOST);

        LosesFirst(MessageStream stream) {
            super(stream);
        }

        @Override
        public Pull pull(String consumer, Receiver receiver) {
            return super.pull(consumer, new Receiver() {
                @Override
                public void delivered(Delivery delivery) {
                    if (left.getAndDecrement() <= 0) {
                        receiver.delivered(delivery);
                    }
                }

                @Override
                public void idle(long delivered) {
                    receiver.idle(delivered);
                }

                @Override
                public void broken(String reason) {
                    receiver.broken(reason);
                }
            });
        }
    }

    /** On a limits stream a partition's own consumer knows no acknowledgements: the server never delivers again. */
    @Test
    void theyAreReadAgainThoughNothingFollows() throws Exception {
        List<Long> handled = new CopyOnWriteArrayList<>();
        try (Connection nats = Nats.connect(NatsServer.shared().url())) {
            nats.jetStreamManagement()
                    .addStream(StreamConfiguration.builder()
                            .name(name)
                            .subjects(name)
                            .storageType(StorageType.Memory)
                            .build());
            for (int i = 0; i < LOST; i++) {
                nats.jetStream().publish(name, new byte[0]);
            }
            LosesFirst stream = new LosesFirst(new NatsMessageStream(nats, name, TIMEOUT));
            try (Worker worker = Worker.builder(nats).stream(name)
                    .prefix(name)
                    .partitions(Partitions.list(List.of(name)))
                    .settings(WorkerSettings.DEFAULT.with(draft -> draft.consumers = ConsumerMode.PER_PARTITION))
                    .messageStream(stream)
                    .handler((context, message) -> {
                        handled.add(message.sequence());
                        return Outcome.done();
                    })
                    .start()) {
                await().atMost(TIMEOUT).untilAsserted(() -> assertThat(handled).containsExactly(1L, 2L, 3L));
                assertThat(stream.left.get()).isNegative();
                assertThat(worker.status().problems()).isEmpty();
            }
            nats.jetStreamManagement().deleteStream(name);
        }
    }
}
