package dev.sluice.rocksdb;

import dev.sluice.deliver.EventType;
import dev.sluice.lane.DeadLetter;
import dev.sluice.log.WireReader;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A dead letter as it lies on disk. */
final class DeadLetterRecord {
    private static final int ID = 1;
    private static final int GATEWAY = 2;
    private static final int SUBSCRIPTION = 3;
    private static final int EVENT = 4;
    private static final int TYPE = 5;
    private static final int PARTITION = 6;
    private static final int ENTRY = 7;
    private static final int REASON = 8;
    private static final int SECONDS = 9;
    private static final int NANOS = 10;
    private static final int ATTEMPTS = 11;
    private static final int HISTORY = 12;
    private static final int STANDS_FOR = 13;

    private final byte[] bytes;
    private String id = "";
    private String gateway = "";
    private String subscription = "";
    private String event = "";
    private EventType type = EventType.INSERT;
    private int partition;
    private byte[] entry = {};
    private String reason = "";
    private long seconds;
    private int nanos;
    private int attempts;
    private final List<String> history = new ArrayList<>();
    private @Nullable Priority standsFor;

    private DeadLetterRecord(byte[] bytes) {
        this.bytes = bytes;
    }

    /** @param at in the place of the letter's own time */
    static byte[] encode(DeadLetter letter, Instant at) {
        RecordWriter record = new RecordWriter();
        record.text(ID, letter.id());
        record.text(GATEWAY, letter.gatewayId());
        record.text(SUBSCRIPTION, letter.subscriptionId());
        record.text(EVENT, letter.eventId());
        record.text(TYPE, letter.type().text());
        record.number(PARTITION, letter.partition());
        record.bytes(ENTRY, letter.entry());
        record.text(REASON, letter.reason());
        record.number(SECONDS, at.getEpochSecond());
        record.number(NANOS, at.getNano());
        record.number(ATTEMPTS, letter.attempts());
        letter.history().forEach(line -> record.bytes(HISTORY, line.getBytes(StandardCharsets.UTF_8)));
        if (letter.standsFor() != null) {
            record.text(STANDS_FOR, letter.standsFor().text());
        }
        return record.record();
    }

    /** @throws InvalidInputException when it is not what {@link #encode} makes */
    static DeadLetter decode(byte[] bytes) {
        DeadLetterRecord record = new DeadLetterRecord(bytes);
        WireReader reader = new WireReader(bytes, 0, bytes.length);
        while (reader.next()) {
            record.take(reader);
        }
        return new DeadLetter(
                record.id,
                record.gateway,
                record.subscription,
                record.event,
                record.type,
                record.partition,
                record.entry,
                record.reason,
                Instant.ofEpochSecond(record.seconds, record.nanos),
                record.attempts,
                List.copyOf(record.history),
                record.standsFor);
    }

    private void take(WireReader reader) {
        switch (reader.field()) {
            case ID -> id = text(reader);
            case GATEWAY -> gateway = text(reader);
            case SUBSCRIPTION -> subscription = text(reader);
            case EVENT -> event = text(reader);
            case TYPE -> type = EventType.parse(text(reader));
            case PARTITION -> partition = (int) reader.number();
            case ENTRY -> entry = Arrays.copyOfRange(bytes, reader.offset(), reader.offset() + reader.length());
            case REASON -> reason = text(reader);
            case SECONDS -> seconds = reader.number();
            case NANOS -> nanos = (int) reader.number();
            case ATTEMPTS -> attempts = (int) reader.number();
            case HISTORY -> history.add(text(reader));
            case STANDS_FOR -> standsFor = Priority.parse(text(reader));
            default -> throw new InvalidInputException("a dead letter's record has an unknown field");
        }
    }

    private String text(WireReader reader) {
        return new String(bytes, reader.offset(), reader.length(), StandardCharsets.UTF_8);
    }
}
