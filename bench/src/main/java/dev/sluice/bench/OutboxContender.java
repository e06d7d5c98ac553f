package dev.sluice.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.TopicPartition;

/**
 * One outbox with one set of settings, in a process, a database and a topic of its own. A round: started with an empty table,
 * all rows appear at once, and the time runs from the first record the broker takes to the last; then a consumer reads
 * the topic and counts. CPU is the library's process alone, without PostgreSQL and the broker.
 */
final class OutboxContender implements Contender, AutoCloseable {
    private final String name;
    private final int rows;
    private final boolean keepsOrder;
    private final OutboxTopic topic;
    private final OutboxChild child;

    /** @param keepsOrder whether per-key order is promised, and so demanded */
    OutboxContender(String name, int rows, boolean keepsOrder, OutboxTopic topic, OutboxChild child) {
        this.name = name;
        this.rows = rows;
        this.keepsOrder = keepsOrder;
        this.topic = topic;
        this.child = child;
    }

    /** Makes its database and topic, and writes the rows once. */
    static OutboxContender open(OutboxServers servers, String classPath, Kind kind, String suffix, int rows)
            throws IOException, SQLException, ExecutionException, InterruptedException {
        String id = kind.id() + suffix;
        OutboxTopic topic = new OutboxTopic(servers.bootstrap(), id);
        Map<String, String> settings = new java.util.LinkedHashMap<>(kind.settings());
        settings.put("jdbc", servers.database(id.replace('-', '_')));
        settings.put("bootstrap", servers.bootstrap());
        settings.put("topic", id);
        OutboxChild child = new OutboxChild(kind.name(), classPath, kind.subject(), settings, servers.directory());
        OutboxContender contender = new OutboxContender(kind.name(), rows, kind.keepsOrder(), topic, child);
        child.command("write " + rows);
        return contender;
    }

    /**
     * @param subject the class that is an {@link OutboxUnderTest}
     * @param settings as the class reads them
     */
    record Kind(String name, String id, String subject, boolean keepsOrder, Map<String, String> settings) {}

    @Override
    public String name() {
        return name;
    }

    int rows() {
        return rows;
    }

    @Override
    public Sample round() throws IOException {
        return round(rows);
    }

    Sample round(int count) throws IOException {
        Map<TopicPartition, Long> starts = topic.ends();
        child.command("start");
        long before = child.command("fill " + count);
        long after = child.command("await " + count);
        child.command("clear");
        child.command("stop");
        OutboxTopic.Found found = topic.readFrom(starts);
        found.requireAll(name, count);
        if (keepsOrder && found.inversions() > 0) {
            throw new IllegalStateException(name + ": " + found.inversions() + " messages overtook one of their key");
        }
        return new Sample(count, found.nanos(), after - before);
    }

    @Override
    public void close() {
        child.close();
    }
}
