package dev.sluice.rocksdb;

import dev.sluice.log.WireReader;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A subscription as it lies on disk, under its id. Field numbers are those of the published proto. */
final class SubscriptionRecord {
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

    private SubscriptionRecord(byte[] bytes) {
        this.bytes = bytes;
    }

    static byte[] encode(Subscription subscription) {
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
        return record.record();
    }

    /** @throws InvalidInputException when it is not what {@link #encode} makes */
    static Subscription decode(byte[] id, byte[] bytes) {
        SubscriptionRecord record = new SubscriptionRecord(bytes);
        WireReader reader = new WireReader(bytes, 0, bytes.length);
        while (reader.next()) {
            record.take(reader);
        }
        return new Subscription(
                new String(id, StandardCharsets.UTF_8),
                record.gateway,
                record.tenant,
                record.collection,
                Optional.ofNullable(record.documentId),
                record.filter,
                record.priority,
                record.ttl,
                Optional.ofNullable(record.from),
                record.failover,
                record.transitions);
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
            default -> throw new InvalidInputException("a subscription's record has an unknown field");
        }
    }

    private String text(WireReader reader) {
        return new String(bytes, reader.offset(), reader.length(), StandardCharsets.UTF_8);
    }
}
