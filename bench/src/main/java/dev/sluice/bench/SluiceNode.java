package dev.sluice.bench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** One of our relays in a process of its own, on a database and a topic that it may share with others. */
record SluiceNode(OutboxTopic topic, String jdbc, OutboxChild child) implements AutoCloseable {

    /** With a new database and topic of this name. */
    static SluiceNode open(OutboxServers servers, String name, String delivery, int nodes)
            throws IOException, SQLException, ExecutionException, InterruptedException {
        OutboxTopic topic = new OutboxTopic(servers.bootstrap(), name);
        return open(servers, topic, servers.database(name.replace('-', '_')), delivery, 1, nodes, 0);
    }

    /**
     * @param nodes how many share the partitions: it is ready when it has its share
     * @param limit bytes per second, 0 for none
     */
    static SluiceNode open(
            OutboxServers servers, OutboxTopic topic, String jdbc, String delivery, int number, int nodes, int limit)
            throws IOException {
        OutboxContender.Kind kind = SluiceOutbox.kind(delivery);
        Map<String, String> settings = new LinkedHashMap<>(kind.settings());
        settings.put("jdbc", jdbc);
        settings.put("bootstrap", servers.bootstrap());
        settings.put("topic", topic.name());
        settings.put("node", "node-" + number);
        settings.put("nodes", "" + nodes);
        settings.put("limit", "" + limit);
        return new SluiceNode(
                topic,
                jdbc,
                new OutboxChild("relay " + number, BenchHome.own(), kind.subject(), settings, servers.directory()));
    }

    @Override
    public void close() {
        child.close();
    }
}
