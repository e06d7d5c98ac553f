package dev.sluice.rocksdb;

import dev.sluice.log.WireReader;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Places;
import dev.sluice.model.Position;
import dev.sluice.subscribe.SubscriptionRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Start, changes and last RESYNC of a stored subscription. */
record StoredHistory(Places start, List<SubscriptionRecord.Change> changes, long resync) {
    static final StoredHistory NONE = new StoredHistory(Places.OLDEST, List.of(), 0);

    private static final int RESYNC = 1;
    private static final int START = 2;
    private static final int CHANGE = 3;
    private static final int CHANGE_REVISION = 1;
    private static final int CHANGE_SINCE = 2;
    private static final int LOG = 1;
    private static final int IDENTITY = 2;
    private static final int TIME = 3;
    private static final int HASH = 4;
    private static final int ORDINAL = 5;

    static byte[] encode(SubscriptionRecord record) {
        RecordWriter history = new RecordWriter();
        history.number(RESYNC, record.resync());
        put(history, START, record.start());
        for (SubscriptionRecord.Change each : record.changes()) {
            RecordWriter change = new RecordWriter();
            change.number(CHANGE_REVISION, each.revision());
            put(change, CHANGE_SINCE, each.since());
            history.bytes(CHANGE, change.record());
        }
        return history.record();
    }

    private static void put(RecordWriter record, int field, Places places) {
        places.byLog().forEach((log, at) -> {
            RecordWriter place = new RecordWriter();
            place.text(LOG, log);
            place.number(IDENTITY, at.identity());
            place.number(TIME, at.position().time().value());
            place.number(HASH, at.position().id().hash());
            place.number(ORDINAL, at.position().ordinal());
            record.bytes(field, place.record());
        });
    }

    /** @throws InvalidInputException when it is not what {@link #encode} makes */
    static StoredHistory decode(byte[] bytes, int offset, int length) {
        SortedMap<String, Places.Place> start = new TreeMap<>();
        List<SubscriptionRecord.Change> changes = new ArrayList<>();
        long resync = 0;
        WireReader reader = new WireReader(bytes, offset, offset + length);
        while (reader.next()) {
            switch (reader.field()) {
                case RESYNC -> resync = reader.number();
                case START -> place(bytes, reader, start);
                case CHANGE -> changes.add(change(bytes, reader));
                default -> throw unknown();
            }
        }
        return new StoredHistory(start.isEmpty() ? Places.OLDEST : new Places(start), changes, resync);
    }

    private static SubscriptionRecord.Change change(byte[] bytes, WireReader outer) {
        SortedMap<String, Places.Place> since = new TreeMap<>();
        long revision = 0;
        WireReader reader = new WireReader(bytes, outer.offset(), outer.offset() + outer.length());
        while (reader.next()) {
            switch (reader.field()) {
                case CHANGE_REVISION -> revision = reader.number();
                case CHANGE_SINCE -> place(bytes, reader, since);
                default -> throw unknown();
            }
        }
        return new SubscriptionRecord.Change(revision, new Places(since));
    }

    private static void place(byte[] bytes, WireReader outer, SortedMap<String, Places.Place> places) {
        String log = "";
        long identity = 0;
        long time = 0;
        long hash = 0;
        long ordinal = 0;
        WireReader reader = new WireReader(bytes, outer.offset(), outer.offset() + outer.length());
        while (reader.next()) {
            switch (reader.field()) {
                case LOG -> log = new String(bytes, reader.offset(), reader.length(), StandardCharsets.UTF_8);
                case IDENTITY -> identity = reader.number();
                case TIME -> time = reader.number();
                case HASH -> hash = reader.number();
                case ORDINAL -> ordinal = reader.number();
                default -> throw unknown();
            }
        }
        Position position = new Position(new EventId(new ClusterTime(time), hash), (int) ordinal);
        places.put(log, new Places.Place(identity, position));
    }

    private static InvalidInputException unknown() {
        return new InvalidInputException("a subscription's record has an unknown field");
    }
}
