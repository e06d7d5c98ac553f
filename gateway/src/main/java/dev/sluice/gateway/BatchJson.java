package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Introductions;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the body of a delivery over HTTP or NATS. Members it does not know are passed over: a newer Streamer has more. */
final class BatchJson {
    private final JsonScan scan;
    private final List<Incoming> batch = new ArrayList<>();
    private final List<Subscription> told = new ArrayList<>();
    private final List<String> toldBefore = new ArrayList<>();
    private boolean perEventRetries;

    private BatchJson(String body) {
        this.scan = new JsonScan(body);
    }

    /** @throws InvalidInputException saying what is wrong with it */
    static IncomingBatch read(String body) {
        BatchJson reading = new BatchJson(body);
        reading.all();
        return new IncomingBatch(
                reading.batch, new Introductions(reading.told, reading.toldBefore), reading.perEventRetries);
    }

    private void all() {
        boolean[] found = {false};
        scan.object(name -> {
            switch (name) {
                case "events" -> {
                    found[0] = true;
                    scan.array(() -> batch.add(new Item().read()));
                }
                case "perEventRetries" -> perEventRetries = scan.bool();
                case "subscriptions" -> scan.array(() -> told.add(new DefinitionJson(scan).read()));
                case "toldBefore" -> scan.array(() -> toldBefore.add(scan.string()));
                default -> scan.raw();
            }
        });
        scan.end();
        if (!found[0]) {
            throw new InvalidInputException("a delivery has an array \"events\"");
        }
    }

    /** One element of {@code events}, member by member. */
    private final class Item {
        private String subscriptionId = "";
        private long seq;
        private int partition;
        private long generation;
        private long epoch;
        private boolean redelivery;
        private boolean representative;
        private String priority = "";
        private String progress = "";
        private String id = "";
        private String type = "";
        private String tenant = "";
        private String collection = "";
        private String documentId = "";
        private @Nullable String document;
        private @Nullable String updateDescription;
        private long timestamp;
        private boolean lookup;

        Incoming read() {
            scan.object(this::member);
            if (subscriptionId.isEmpty() || id.isEmpty()) {
                throw new InvalidInputException("an event needs \"subscriptionId\" and \"event\" with an \"id\"");
            }
            ReceivedEvent event = new ReceivedEvent(
                    subscriptionId,
                    EventType.parse(type),
                    id,
                    tenant,
                    collection,
                    documentId,
                    Optional.ofNullable(document),
                    Optional.ofNullable(updateDescription),
                    timestamp,
                    lookup,
                    redelivery,
                    progress);
            return new Incoming(
                    event,
                    seq,
                    partition,
                    new FencingToken(generation, epoch),
                    representative ? Priority.parse(priority) : null);
        }

        private void member(String name) {
            switch (name) {
                case "subscriptionId" -> subscriptionId = scan.string();
                case "event" -> scan.object(this::ofEvent);
                case "seq" -> seq = scan.integer();
                case "partitionId" -> partition = Math.clamp(scan.integer(), -1, Integer.MAX_VALUE);
                case "fencingToken" -> scan.object(this::ofToken);
                case "redelivery" -> redelivery = scan.bool();
                case "representative" -> representative = scan.bool();
                case "priority" -> priority = text();
                case "progress" -> progress = text();
                default -> scan.raw();
            }
        }

        private void ofToken(String name) {
            switch (name) {
                case "generation" -> generation = scan.integer();
                case "epoch" -> epoch = scan.integer();
                default -> scan.raw();
            }
        }

        private void ofEvent(String name) {
            switch (name) {
                case "id" -> id = scan.string();
                case "type" -> type = scan.string();
                case "tenant" -> tenant = text();
                case "collection" -> collection = text();
                case "documentId" -> documentId = text();
                case "document" -> document = raw();
                case "updateDescription" -> updateDescription = raw();
                case "timestamp" -> timestamp = scan.integer();
                case "lookup" -> lookup = scan.bool();
                default -> scan.raw();
            }
        }

        private String text() {
            return scan.isNull() ? "" : scan.string();
        }

        private @Nullable String raw() {
            return scan.isNull() ? null : scan.raw();
        }
    }
}
