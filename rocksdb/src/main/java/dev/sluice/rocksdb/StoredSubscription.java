package dev.sluice.rocksdb;

import dev.sluice.log.WireReader;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Places;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.SubscriptionRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A subscription's record as it lies on disk, under its id. Field numbers of the definition are those of the published
 * proto. Version 0.1 wrote the definition alone.
 */
final class StoredSubscription {
    private static final int GATEWAY = 2;
    private static final int TENANT = 3;
    private static final int COLLECTION = 4;
    private static final int DOCUMENT_ID = 5;
    private static final int FILTER = 6;
    private static final int PRIORITY = 7;
    private static final int TTL_SECONDS = 8;
    private static final int FROM = 9;
    private static final int FAILOVER = 10;
    private static final int TRANSITIONS = 11;
    private static final int REVISION = 12;
    private static final int CREATED = 13;
    private static final int HOME = 14;
    /** A message of its own, because a tag has room for 15 fields. */
    private static final int HISTORY = 15;

    private final byte[] bytes;
    private String gateway = "";
    private String tenant = "";
    private String collection = "";
    private @Nullable String documentId;
    private String filter = "";
    private Priority priority = Priority.NORMAL;
    private Duration ttl = Duration.ZERO;
    private @Nullable ProgressMarker from;
    private boolean failover;
    private boolean transitions;
    private long revision;
    private long created;
    private @Nullable Home home;
    private StoredHistory history = StoredHistory.NONE;

    private StoredSubscription(byte[] bytes) {
        this.bytes = bytes;
    }

    static byte[] encode(SubscriptionRecord kept) {
        Subscription subscription = kept.definition();
        RecordWriter record = new RecordWriter();
        record.text(GATEWAY, subscription.gatewayId());
        record.text(TENANT, subscription.tenant());
        record.text(COLLECTION, subscription.collection());
        subscription.documentId().ifPresent(id -> record.bytes(DOCUMENT_ID, id.getBytes(StandardCharsets.UTF_8)));
        record.text(FILTER, subscription.filter());
        if (subscription.priority() != Priority.NORMAL) {
            record.text(PRIORITY, subscription.priority().text());
        }
        record.number(TTL_SECONDS, subscription.ttl().toSeconds());
        subscription.from().ifPresent(from -> record.text(FROM, from.encode()));
        record.number(FAILOVER, subscription.failover() ? 1 : 0);
        record.number(TRANSITIONS, subscription.transitions() ? 1 : 0);
        record.number(REVISION, kept.revision());
        record.number(CREATED, kept.created());
        record.text(HOME, kept.home().text());
        record.bytes(HISTORY, StoredHistory.encode(kept));
        return record.record();
    }

    /** @throws InvalidInputException when it is not what {@link #encode} makes */
    static SubscriptionRecord decode(byte[] id, byte[] bytes) {
        StoredSubscription record = new StoredSubscription(bytes);
        WireReader reader = new WireReader(bytes, 0, bytes.length);
        while (reader.next()) {
            record.take(reader);
        }
        return record.record(new String(id, StandardCharsets.UTF_8));
    }

    private SubscriptionRecord record(String id) {
        Subscription definition = new Subscription(
                id,
                gateway,
                tenant,
                collection,
                Optional.ofNullable(documentId),
                filter,
                priority,
                ttl,
                Optional.ofNullable(from),
                failover,
                transitions);
        if (home == null) {
            Places start = definition.from().map(Places::of).orElse(Places.OLDEST);
            return new SubscriptionRecord(definition, Homes.share(id), 0, 0, start, List.of(), 0);
        }
        return new SubscriptionRecord(
                definition, home, created, revision, history.start(), history.changes(), history.resync());
    }

    private void take(WireReader reader) {
        switch (reader.field()) {
            case GATEWAY -> gateway = text(reader);
            case TENANT -> tenant = text(reader);
            case COLLECTION -> collection = text(reader);
            case DOCUMENT_ID -> documentId = text(reader);
            case FILTER -> filter = text(reader);
            case PRIORITY -> priority = Priority.parse(text(reader));
            case TTL_SECONDS -> ttl = Duration.ofSeconds(reader.number());
            case FROM -> from = ProgressMarker.decode(text(reader));
            case FAILOVER -> failover = reader.number() != 0;
            case TRANSITIONS -> transitions = reader.number() != 0;
            case REVISION -> revision = reader.number();
            case CREATED -> created = reader.number();
            case HOME -> home = Home.parse(text(reader));
            case HISTORY -> history = StoredHistory.decode(bytes, reader.offset(), reader.length());
            default -> throw new InvalidInputException("a subscription's record has an unknown field");
        }
    }

    private String text(WireReader reader) {
        return new String(bytes, reader.offset(), reader.length(), StandardCharsets.UTF_8);
    }
}
