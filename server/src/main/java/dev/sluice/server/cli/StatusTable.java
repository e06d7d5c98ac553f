package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The answer of {@code /admin/v1/status} for people: what the node's roles tell, one table each. */
final class StatusTable {
    private final StringBuilder text = new StringBuilder();

    private StatusTable() {}

    static String of(BsonDocument status) {
        var table = new StatusTable();
        table.text.append(String.format(
                "%s, up %s, version %s%n",
                value(status, "status"),
                duration(status.getNumber("uptimeSeconds").longValue()),
                value(status, "version")));
        if (status.containsKey("backends")) {
            table.backends(status.getArray("backends"));
            table.consumers(status.getArray("consumers"));
        }
        if (status.containsKey("partitions")) {
            table.streamer(status);
        }
        if (status.containsKey("outbox")) {
            table.outbox(status.getDocument("outbox"));
        }
        if (status.containsKey("worker")) {
            table.text.append('\n').append(WorkerStatusText.of(status.getDocument("worker")));
        }
        if (status.containsKey("connections")) {
            table.text
                    .append("\ngateway: ")
                    .append(value(status, "connections"))
                    .append(" end users connected\n");
        }
        return table.text.toString();
    }

    /** The answer of {@code /admin/v1/checkpoints}. */
    static String ofCheckpoints(BsonDocument answer) {
        var table = TextTable.of("BACKEND", "CLUSTER TIME", "CAPTURED THROUGH");
        for (BsonValue item : answer.getArray("checkpoints")) {
            var one = item.asDocument();
            table.row(value(one, "name"), value(one, "clusterTime"), value(one, "time"));
        }
        return table.toString();
    }

    private void backends(BsonArray backends) {
        var table = TextTable.of("BACKEND", "STATUS", "LAG", "LAST EVENT", "IN LOG", "SIZE", "CAPTURED");
        for (BsonValue item : backends) {
            var backend = item.asDocument();
            table.row(
                    value(backend, "name"),
                    value(backend, "status"),
                    value(backend, "lagSeconds", " s"),
                    value(backend, "lastEventTime"),
                    value(backend, "events"),
                    backend.containsKey("bytes")
                            ? size(backend.getNumber("bytes").longValue())
                            : "-",
                    value(backend, "ingested"));
        }
        text.append('\n').append(table);
        remarks(backends, "name", "reason");
    }

    private void consumers(BsonArray consumers) {
        if (consumers.isEmpty()) {
            text.append("\nno consumers\n");
            return;
        }
        var table = TextTable.of("CONSUMER", "STATE", "FROM", "SENT", "BEHIND", "BEHIND BY", "OVERTAKEN IN");
        for (BsonValue item : consumers) {
            var consumer = item.asDocument();
            table.row(
                    value(consumer, "id"),
                    value(consumer, "state"),
                    value(consumer, "peer"),
                    value(consumer, "events"),
                    value(consumer, "eventsBehind"),
                    value(consumer, "secondsBehind") + " s",
                    value(consumer, "overtakenInSeconds"));
        }
        text.append('\n').append(table);
        remarks(consumers, "id", "warning");
    }

    private void streamer(BsonDocument status) {
        var partitions = status.getArray("partitions");
        var table = TextTable.of("PARTITION", "STATUS", "LAG", "EVENTS/S", "LAST EVENT", "ON THEIR WAY");
        for (BsonValue item : partitions) {
            var one = item.asDocument();
            table.row(
                    value(one, "id"),
                    value(one, "status"),
                    value(one, "lagSeconds", " s"),
                    value(one, "eventRate"),
                    value(one, "lastEvent"),
                    value(one, "unacknowledged"));
        }
        text.append('\n').append(table);
        remarks(partitions, "id", "reason");
        lanes(status.getArray("lanes"));
        text.append(String.format(
                "%n%s subscriptions, %s dead letters%n", value(status, "subscriptions"), value(status, "deadLetters")));
    }

    private void lanes(BsonArray lanes) {
        if (lanes.isEmpty()) {
            text.append("\nno gateways\n");
            return;
        }
        var table = TextTable.of(
                "GATEWAY", "STATE", "BREAKER", "LAG", "QUEUED", "IN FLIGHT", "BEHIND", "SIDE GROUPS", "STUCK");
        for (BsonValue item : lanes) {
            var lane = item.asDocument();
            var queued = lane.getDocument("queued").values().stream()
                    .mapToLong(size -> size.asNumber().longValue())
                    .sum();
            table.row(
                    value(lane, "gateway"),
                    value(lane, "state"),
                    value(lane, "breaker"),
                    value(lane, "lagSeconds", " s"),
                    String.valueOf(queued),
                    value(lane, "inFlight"),
                    behind(lane.getArray("behind")),
                    value(lane, "sideGroups"),
                    value(lane, "stuckSubscriptions"));
        }
        text.append('\n').append(table);
        remarks(lanes, "gateway", "lastError");
    }

    /** How many groups are behind, since when the first of them is, and what each waits for. */
    private static String behind(BsonArray groups) {
        if (groups.isEmpty()) {
            return "-";
        }
        var first = groups.stream()
                .map(group -> value(group.asDocument(), "since"))
                .min(Comparator.naturalOrder())
                .orElse("-");
        var waits = groups.stream()
                .map(group -> value(group.asDocument(), "waits"))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return groups.size() + " since " + first + ": " + waits;
    }

    private void outbox(BsonDocument outbox) {
        var table = TextTable.of("OUTBOX", "EPOCH", "BREAKER", "SENT", "PARKED KEYS");
        var partitions = outbox.getArray("partitions");
        for (BsonValue item : partitions) {
            var one = item.asDocument();
            table.row(
                    value(one, "partition"),
                    value(one, "epoch"),
                    value(one, "breaker"),
                    value(one, "sent"),
                    value(one, "parkedKeys"));
        }
        text.append('\n').append(table);
        remarks(partitions, "partition", "trouble");
        remarks(outbox.getArray("blockedTopics"), "topic", "reason");
        remarks(outbox.getArray("hotKeys"), "key", "advice");
        text.append(String.format(
                "%noutbox %s to %s: %s; %s sent, %s pending, %s keys parked, %s dead%n",
                value(outbox, "name"),
                value(outbox, "sink"),
                value(outbox, "says"),
                value(outbox, "sent"),
                value(outbox, "pending"),
                value(outbox, "parked"),
                value(outbox, "dead")));
    }

    /** What is wrong with one of them, in words. */
    private void remarks(BsonArray items, String name, String remark) {
        for (BsonValue item : items) {
            var said = value(item.asDocument(), remark);
            if (!said.equals("-")) {
                text.append("  ! ")
                        .append(value(item.asDocument(), name))
                        .append(": ")
                        .append(said)
                        .append('\n');
            }
        }
    }

    private static String size(long bytes) {
        return bytes < 1 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
    }

    private static String duration(long seconds) {
        var d = Duration.ofSeconds(seconds);
        return d.toHours() > 0
                ? d.toHours() + " h " + d.toMinutesPart() + " min"
                : d.toMinutes() > 0 ? d.toMinutes() + " min " + d.toSecondsPart() + " s" : seconds + " s";
    }
}
