package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Introductions;
import dev.sluice.deliver.Passed;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the body of a delivery over HTTP or NATS. Members it does not know are passed over: a newer Streamer has more. */
final class BatchJson {
    private static final FencingToken NO_TOKEN = new FencingToken(0, 0);

    private final JsonScan scan;
    private final Repeated<Change> changes = new Repeated<>();
    private final Repeated<FencingToken> tokens = new Repeated<>();
    private final Repeated<String> markers = new Repeated<>();
    private final Repeated<String> logs = new Repeated<>();
    private final List<Incoming> batch = new ArrayList<>();
    private final List<Subscription> told = new ArrayList<>();
    private final List<String> toldBefore = new ArrayList<>();
    private final List<Passed> passed = new ArrayList<>();
    private boolean perEventRetries;

    private BatchJson(String body) {
        this.scan = new JsonScan(body);
    }

    /** @throws InvalidInputException saying what is wrong with it */
    static IncomingBatch read(String body) {
        BatchJson reading = new BatchJson(body);
        reading.all();
        return new IncomingBatch(
                reading.batch,
                new Introductions(reading.told, reading.toldBefore),
                reading.perEventRetries,
                reading.passed);
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
                case "passed" -> scan.array(() -> new PassedMembers().read().ifPresent(passed::add));
                default -> scan.raw();
            }
        });
        scan.end();
        if (!found[0]) {
            throw new InvalidInputException("a delivery has an array \"events\"");
        }
    }

    /**
     * A value that is often the same in the items of a batch: it is read again only where its text differs from the last one.
     * For objects and strings.
     */
    private final class Repeated<T> {
        private int from;
        private int to;
        private @Nullable T last;

        T read(Supplier<T> reader) {
            T known = last;
            if (known != null && scan.takesAgain(from, to)) {
                return known;
            }
            int start = scan.start();
            T read = reader.get();
            from = start;
            to = scan.place();
            last = read;
            return read;
        }
    }

    /** One element of {@code events}, member by member. */
    private final class Item {
        private String subscriptionId = "";
        private @Nullable Change change;
        private long seq;
        private int partition;
        private FencingToken token = NO_TOKEN;
        private boolean redelivery;
        private boolean representative;
        private String priority = "";
        private String progress = "";
        private long revision;
        private String log = "";
        private final List<String> except = new ArrayList<>(0);

        Incoming read() {
            scan.object(this::member);
            Change event = change;
            if (subscriptionId.isEmpty() || event == null) {
                throw incomplete();
            }
            return new Incoming(
                    new ReceivedEvent(subscriptionId, event, redelivery, progress),
                    seq,
                    partition,
                    token,
                    representative ? Priority.parse(priority) : null,
                    revision,
                    log,
                    except);
        }

        private void member(String name) {
            switch (name) {
                case "subscriptionId" -> subscriptionId = scan.string();
                case "event" -> change = changes.read(() -> new EventMembers().read());
                case "seq" -> seq = scan.integer();
                case "partitionId" -> partition = Math.clamp(scan.integer(), -1, Integer.MAX_VALUE);
                case "fencingToken" -> token = tokens.read(() -> new TokenMembers().read());
                case "redelivery" -> redelivery = scan.bool();
                case "representative" -> representative = scan.bool();
                case "priority" -> priority = text();
                case "progress" -> progress = scan.isString() ? markers.read(scan::string) : text();
                case "revision" -> revision = scan.integer();
                case "except" -> scan.array(() -> except.add(scan.string()));
                case "log" -> log = scan.isString() ? logs.read(scan::string) : text();
                default -> scan.raw();
            }
        }
    }

    /** One element of {@code passed}. */
    private final class PassedMembers {
        private long generation;
        private int partitions;
        private int partition;
        private String marker = "";
        private long revision;
        private final List<String> except = new ArrayList<>();

        Optional<Passed> read() {
            scan.object(this::member);
            return PassedPartitions.read(generation, partitions, partition, marker, revision, except);
        }

        private void member(String name) {
            switch (name) {
                case "generation" -> generation = scan.integer();
                case "partitions" -> partitions = Math.clamp(scan.integer(), -1, Integer.MAX_VALUE);
                case "partitionId" -> partition = Math.clamp(scan.integer(), -1, Integer.MAX_VALUE);
                case "marker" -> marker = scan.string();
                case "revision" -> revision = scan.integer();
                case "except" -> scan.array(() -> except.add(scan.string()));
                default -> scan.raw();
            }
        }
    }

    /** The object {@code fencingToken}. */
    private final class TokenMembers {
        private long generation;
        private long epoch;

        FencingToken read() {
            scan.object(this::member);
            return new FencingToken(generation, epoch);
        }

        private void member(String name) {
            switch (name) {
                case "generation" -> generation = scan.integer();
                case "epoch" -> epoch = scan.integer();
                default -> scan.raw();
            }
        }
    }

    /** The object {@code event}. */
    private final class EventMembers {
        private String id = "";
        private String type = "";
        private String tenant = "";
        private String collection = "";
        private String documentId = "";
        private @Nullable String document;
        private @Nullable String updateDescription;
        private long timestamp;
        private boolean lookup;

        Change read() {
            scan.object(this::member);
            if (id.isEmpty()) {
                throw incomplete();
            }
            return new Change(new Change.Content(
                    EventType.parse(type),
                    id,
                    tenant,
                    collection,
                    documentId,
                    Optional.ofNullable(document),
                    Optional.ofNullable(updateDescription),
                    timestamp,
                    lookup));
        }

        private void member(String name) {
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

        private @Nullable String raw() {
            return scan.isNull() ? null : scan.raw();
        }
    }

    private static InvalidInputException incomplete() {
        return new InvalidInputException("an event needs \"subscriptionId\" and \"event\" with an \"id\"");
    }

    private String text() {
        return scan.isNull() ? "" : scan.string();
    }
}
