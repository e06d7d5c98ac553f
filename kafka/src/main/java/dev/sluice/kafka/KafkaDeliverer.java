package dev.sluice.kafka;

import dev.sluice.deliver.Attempts;
import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.EventByEvent;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Reason;
import dev.sluice.model.InvalidInputException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Kafka topics as a gateway: a record per event, keyed by document id, acknowledged by all replicas.
 *
 * <p>Nobody recognises repeats at the other end, so an attempt that is given up must not arrive behind its retry. The
 * producer itself gives records up, within our timeout, and we wait for its word; then it sends them no more. What was on
 * its way to a broker that hung is either stored before the retry or refused: of one idempotent producer a partition takes
 * no lower number and no older epoch. Within a batch, {@link EventByEvent} sends nothing behind a failed event of the same
 * document. A new owner of the partition has a new producer: consumers tell its repeats by the headers {@code token},
 * {@code seq} and {@code event-id}.
 */
public final class KafkaDeliverer implements Deliverer {
    private final KafkaEndpoint endpoint;
    private final KafkaDelivery settings;
    private final Attempts attempts;
    private final KafkaClients clients;

    /** @throws InvalidInputException when the gateway's endpoint is not bootstrap servers and a topic template */
    public KafkaDeliverer(GatewayAddress gateway, KafkaDelivery settings) {
        this.endpoint = KafkaEndpoint.parse(gateway.endpoint());
        this.settings = settings;
        this.attempts = new Attempts(gateway.id());
        this.clients = new KafkaClients(endpoint.servers(), settings);
    }

    @Override
    public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
        return attempts.begin(() -> batch.isProbe() ? probe() : new Attempt(clients.producer()).run(batch));
    }

    private BatchOutcome probe() throws InterruptedException {
        clients.reachBroker();
        return BatchOutcome.DELIVERED;
    }

    @Override
    public void close() {
        attempts.close();
        clients.close();
    }

    private final class Attempt {
        private final long began = System.nanoTime();
        private final Producer<byte[], byte[]> producer;
        private final Set<String> withoutAnswer = new HashSet<>();

        Attempt(Producer<byte[], byte[]> producer) {
            this.producer = producer;
        }

        BatchOutcome run(DeliveryBatch batch) {
            return EventByEvent.run(batch, this::send);
        }

        /** Blocks a quarter of the timeout, when Kafka does not say where the topic is. */
        private CompletableFuture<EventOutcome> send(Delivery delivery) {
            ProducerRecord<byte[], byte[]> record;
            try {
                record = DeliveryRecord.of(
                        delivery, endpoint.topicOf(delivery.event().event()));
            } catch (RuntimeException unwritable) {
                return CompletableFuture.completedFuture(new EventOutcome.Rejected(Reason.of(unwritable)));
            }
            if (System.nanoTime() - began > settings.startNanos() || withoutAnswer.contains(record.topic())) {
                return CompletableFuture.completedFuture(
                        new EventOutcome.RetryLater("no time was left to send it to topic " + record.topic()));
            }
            CompletableFuture<EventOutcome> end = new CompletableFuture<>();
            try {
                producer.send(record, (written, failed) -> end.complete(outcome(failed)));
            } catch (RuntimeException failed) {
                end.complete(outcome(failed));
            }
            if (end.isDone() && end.join() instanceof EventOutcome.RetryLater) {
                withoutAnswer.add(record.topic());
            }
            return end;
        }

        private EventOutcome outcome(@Nullable Exception failed) {
            if (failed == null) {
                return EventOutcome.DELIVERED;
            }
            if (KafkaClients.isTheEvent(failed)) {
                return new EventOutcome.Rejected(Reason.of(failed));
            }
            clients.doubt(producer, failed);
            return new EventOutcome.RetryLater("Kafka did not take it: " + Reason.of(failed));
        }
    }
}
