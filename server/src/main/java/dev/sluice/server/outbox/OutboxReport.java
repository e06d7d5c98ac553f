package dev.sluice.server.outbox;

import dev.sluice.coordinate.GroupControl;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.Backlog;
import dev.sluice.outbox.table.Dead;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.server.http.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** What the tables of an outbox hold and who relays them, as JSON. */
public final class OutboxReport {
    private static final int PARTITIONED = 2;

    private OutboxReport() {}

    /** @throws InvalidInputException when there are no tables */
    public static BsonDocument of(DataSource source, String name) {
        int version = OutboxSchema.version(source);
        if (version == 0) {
            throw new InvalidInputException(
                    "there are no outbox tables in this database; make them with: sluice outbox init --jdbc-url ...");
        }
        if (version < PARTITIONED) {
            return Json.object("name", name, "tables", version);
        }
        var table = new OutboxTable(source, Keeping.DELETE);
        Backlog backlog = table.backlog();
        Optional<GroupControl.View> group = group(source, name);
        return Json.object(
                "name", name,
                "tables", version,
                "database", table.dialect().name().toLowerCase(Locale.ROOT),
                "claims", group.map(GroupControl.View::partitions).orElse(0),
                "changing", group.map(GroupControl.View::changing).orElse(false),
                "relays", Json.array(group.map(GroupControl.View::members).orElseGet(java.util.List::of), Json::value),
                "pending", backlog.rows(),
                "parked", backlog.parked(),
                "dead", backlog.dead(),
                "partitions", partitions(backlog, group));
    }

    private static Optional<GroupControl.View> group(DataSource source, String name) {
        try (var store = new JdbcCoordinationStore(source)) {
            return new GroupControl(store, OutboxMigration.groupOf(name)).look();
        }
    }

    private static BsonArray partitions(Backlog backlog, Optional<GroupControl.View> group) {
        Map<Integer, String> owners = group.map(GroupControl.View::owners).orElseGet(Map::of);
        int claims = group.map(GroupControl.View::partitions).orElse(1);
        Map<Integer, Backlog.OfPartition> waiting = new TreeMap<>();
        backlog.partitions().stream()
                .filter(one -> one.partition() != null)
                .forEach(one -> waiting.put(one.partition() == null ? 0 : one.partition(), one));
        var ids = new TreeSet<>(waiting.keySet());
        ids.addAll(owners.keySet());
        BsonArray all = Json.array(ids, id -> {
            var answer = waiting(Optional.ofNullable(waiting.get(id)));
            answer.put("partition", Json.value(id));
            answer.put("owner", Json.value(owners.get(id % claims)));
            return answer;
        });
        backlog.partitions().stream().filter(one -> one.partition() == null).forEach(one -> {
            var answer = waiting(Optional.of(one));
            answer.put("partition", Json.value(null));
            answer.put("owner", Json.value(owners.get(0)));
            all.add(answer);
        });
        return all;
    }

    private static BsonDocument waiting(Optional<Backlog.OfPartition> rows) {
        return Json.object(
                "pending", rows.map(Backlog.OfPartition::rows).orElse(0L),
                "oldest", rows.map(one -> one.oldest().toString()).orElse(null),
                "oldestSeconds", rows.map(OutboxReport::age).orElse(null));
    }

    /** By our clock; the database's may differ a little. */
    static long age(Backlog.OfPartition rows) {
        return Math.max(0, Duration.between(rows.oldest(), Instant.now()).toSeconds());
    }

    /** Dead rows; their payloads are not shown. */
    public static BsonArray dead(Collection<Dead> rows) {
        return Json.array(
                rows,
                dead -> Json.object(
                        "id", dead.id(),
                        "topic", dead.topic(),
                        "key", dead.key(),
                        "type", dead.type(),
                        "bytes", dead.bytes(),
                        "reason", dead.reason(),
                        "attempts", dead.attempts(),
                        "at", dead.deadAt(),
                        "laterRowsSent", dead.laterRowsSent()));
    }
}
