package dev.sluice.bench;

import io.nats.client.Connection;
import io.nats.client.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which worker process handled which partition when, as handlers report it over NATS right after each message. Time is taken
 * when the report arrives: the same clock for all processes, and nothing is lost when one is killed.
 */
final class HandlingTimeline {
    private static final String SUBJECT = "handled.";

    private final Map<String, Handling> latest = new HashMap<>();
    private final List<Move> moves = new ArrayList<>();

    private record Handling(String worker, long nanos) {}

    /** The owner of a partition changed; {@code nanos} from the last handling by the old one to the first by the new one. */
    record Move(String partition, String from, String to, long nanos) {
        double millis() {
            return nanos / 1e6;
        }
    }

    /** Called by a handler: tells the timeline. */
    static void report(Connection connection, String worker, String partition) {
        connection.publish(SUBJECT + worker, partition.getBytes(StandardCharsets.UTF_8));
    }

    void listen(Connection connection) {
        connection.createDispatcher(this::handled).subscribe(SUBJECT + "*");
    }

    private synchronized void handled(Message message) {
        String worker = message.getSubject().substring(SUBJECT.length());
        String partition = new String(message.getData(), StandardCharsets.UTF_8);
        long now = System.nanoTime();
        Handling before = latest.put(partition, new Handling(worker, now));
        if (before != null && !before.worker.equals(worker)) {
            moves.add(new Move(partition, before.worker, worker, now - before.nanos));
        }
    }

    synchronized List<Move> moves() {
        return List.copyOf(moves);
    }
}
