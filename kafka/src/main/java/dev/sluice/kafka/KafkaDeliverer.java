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
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Kafka topics as a gateway: a record per event, keyed by document id, acknowledged by all replicas.
 *
 * <p>A control event (drop, rename, invalidate, resync) goes to every partition of the topic, behind what came before it: a
 * consumer of any of them has documents it concerns.
 *
 * <p>Topics are looked up before anything is sent. An event whose topic is missing is wanted later, and the batch's events for
 * other topics are sent. What follows it for its subscription waits in the lane, for whichever topic it is; other
 * subscriptions go on until the gateway's queue is full of what waits.
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

    /** A topic takes what every producer sends. */
    @Override
    public Duration unfencedFor() {
        return settings.timeout();
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
        private final Producer<byte[], byte[]> producer;
        private final Map<Delivery, List<String>> topicsOf = new IdentityHashMap<>();
        private final Map<Delivery, EventOutcome> withoutTopic = new IdentityHashMap<>();
        private final Set<String> withoutAnswer = new HashSet<>();
        private Map<String, Topics.Topic> topics = Map.of();
        private @Nullable Set<String> allNames;
        private final long lookupEnds = System.nanoTime() + settings.lookup().toNanos();
        private long began;
        private boolean sentAny;

        Attempt(Producer<byte[], byte[]> producer) {
            this.producer = producer;
        }

        BatchOutcome run(DeliveryBatch batch) throws InterruptedException {
            Set<String> names = new HashSet<>();
            for (Delivery delivery : batch.deliveries()) {
                names.addAll(findTopics(delivery));
            }
            topics = clients.topics().look(names, producer, lookupLeft());
            began = System.nanoTime();
            if (topics.values().stream().allMatch(Topics.Topic.Present.class::isInstance)) {
                return EventByEvent.run(batch, this::send);
            }
            return new BatchOutcome.PerEvent(EventByEvent.outcomes(batch, this::send));
        }

        private List<String> findTopics(Delivery delivery) throws InterruptedException {
            try {
                List<String> found = delivery.type().isControl()
                        ? topicsOfAll(delivery)
                        : List.of(endpoint.topicOf(delivery.event().event()));
                topicsOf.put(delivery, found);
                return found;
            } catch (InvalidInputException noName) {
                withoutTopic.put(delivery, new EventOutcome.Rejected(Reason.of(noName)));
                return List.of();
            }
        }

        /** Control events name no tenant, and some no collection: they go where the subscription's events go. */
        private List<String> topicsOfAll(Delivery delivery) throws InterruptedException {
            ChangeEvent event = delivery.event().event();
            String tenant = event.tenant().isEmpty() ? delivery.scope().tenant() : event.tenant();
            String collection = event.collection().isEmpty() ? delivery.scope().collection() : event.collection();
            if (!tenant.isEmpty() || !endpoint.hasTopicPerTenant()) {
                return List.of(endpoint.topicOf(tenant, collection));
            }
            return allNames().stream()
                    .filter(endpoint.topicsOfAllTenants(collection).asMatchPredicate())
                    .sorted()
                    .toList();
        }

        /** The same for all control events of the attempt: brokers with many topics take their time to list them. */
        private Set<String> allNames() throws InterruptedException {
            Set<String> names = allNames;
            if (names == null) {
                names = clients.topics().names(lookupLeft());
                allNames = names;
            }
            return names;
        }

        private Duration lookupLeft() {
            return Duration.ofNanos(Math.max(0, lookupEnds - System.nanoTime()));
        }

        /** Blocks an eighth of the timeout, when Kafka does not say any more where the topic is. */
        private CompletableFuture<EventOutcome> send(Delivery delivery) {
            EventOutcome refusal = withoutTopic.get(delivery);
            List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
            try {
                for (String name : topicsOf.getOrDefault(delivery, List.of())) {
                    switch (Objects.requireNonNull(topics.get(name))) {
                        case Topics.Topic.Blocked blocked -> refusal = blocked.outcome();
                        case Topics.Topic.Present present -> addRecords(delivery, name, present.partitions(), records);
                    }
                }
            } catch (RuntimeException unwritable) {
                refusal = new EventOutcome.Rejected(Reason.of(unwritable));
            }
            if (refusal != null) {
                return CompletableFuture.completedFuture(refusal);
            }
            List<CompletableFuture<EventOutcome>> ends =
                    records.stream().map(this::send).toList();
            return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
                    .thenApply(all -> together(ends));
        }

        /** Whoever reads a partition is to hear of a control event. */
        private static void addRecords(
                Delivery delivery, String topic, int partitions, List<ProducerRecord<byte[], byte[]>> into) {
            if (delivery.type().isControl()) {
                for (int partition = 0; partition < partitions; partition++) {
                    into.add(DeliveryRecord.of(delivery, topic, partition));
                }
            } else {
                into.add(DeliveryRecord.of(delivery, topic, null));
            }
        }

        private CompletableFuture<EventOutcome> send(ProducerRecord<byte[], byte[]> record) {
            // The first one is sent however long it took to encode: after a retry it would take as long again.
            boolean late = sentAny && System.nanoTime() - began > settings.startNanos();
            sentAny = true;
            if (late || withoutAnswer.contains(record.topic())) {
                return CompletableFuture.completedFuture(
                        new EventOutcome.RetryLater("no time was left to send it to topic " + record.topic()));
            }
            CompletableFuture<EventOutcome> end = new CompletableFuture<>();
            try {
                producer.send(record, (written, failed) -> end.complete(outcome(record.topic(), failed)));
            } catch (RuntimeException failed) {
                end.complete(outcome(record.topic(), failed));
            }
            if (end.isDone() && end.join() instanceof EventOutcome.RetryLater) {
                withoutAnswer.add(record.topic());
            }
            return end;
        }

        private EventOutcome outcome(String topic, @Nullable Exception failed) {
            if (failed == null) {
                return EventOutcome.DELIVERED;
            }
            if (KafkaClients.isTheEvent(failed)) {
                return new EventOutcome.Rejected(Reason.of(failed));
            }
            clients.topics().doubt(topic);
            clients.doubt(producer, failed);
            return new EventOutcome.RetryLater("Kafka did not take it: " + Reason.of(failed));
        }
    }

    /** It has arrived when all of its records have; one that is wanted later brings the others again. */
    private static EventOutcome together(List<CompletableFuture<EventOutcome>> ends) {
        EventOutcome worst = EventOutcome.DELIVERED;
        for (CompletableFuture<EventOutcome> end : ends) {
            EventOutcome outcome = end.join();
            if (outcome instanceof EventOutcome.RetryLater) {
                return outcome;
            }
            worst = outcome instanceof EventOutcome.Rejected ? outcome : worst;
        }
        return worst;
    }
}
