package dev.sluice.server.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The answer of {@code /admin/v1/status} for people. */
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
        table.backends(status.getArray("backends"));
        table.consumers(status.getArray("consumers"));
        return table.text.toString();
    }

    /** The answer of {@code /admin/v1/checkpoints}. */
    static String ofCheckpoints(BsonDocument answer) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("BACKEND", "CLUSTER TIME", "CAPTURED THROUGH"));
        for (BsonValue item : answer.getArray("checkpoints")) {
            var one = item.asDocument();
            rows.add(List.of(value(one, "name"), value(one, "clusterTime"), value(one, "time")));
        }
        var table = new StatusTable();
        table.table(rows);
        return table.text.toString().stripLeading();
    }

    private void backends(BsonArray backends) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("BACKEND", "STATUS", "LAG", "LAST EVENT", "IN LOG", "SIZE", "CAPTURED"));
        for (BsonValue item : backends) {
            var backend = item.asDocument();
            rows.add(List.of(
                    value(backend, "name"),
                    value(backend, "status"),
                    value(backend, "lagSeconds", " s"),
                    value(backend, "lastEventTime"),
                    value(backend, "events"),
                    backend.containsKey("bytes")
                            ? size(backend.getNumber("bytes").longValue())
                            : "-",
                    value(backend, "ingested")));
        }
        table(rows);
        for (BsonValue item : backends) {
            if (item.asDocument().containsKey("reason")) {
                text.append("  ! ")
                        .append(value(item.asDocument(), "name"))
                        .append(": ")
                        .append(value(item.asDocument(), "reason"))
                        .append('\n');
            }
        }
    }

    private void consumers(BsonArray consumers) {
        if (consumers.isEmpty()) {
            text.append("\nno consumers\n");
            return;
        }
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("CONSUMER", "STATE", "FROM", "SENT", "BEHIND", "BEHIND BY", "OVERTAKEN IN"));
        for (BsonValue item : consumers) {
            var consumer = item.asDocument();
            rows.add(List.of(
                    value(consumer, "id"),
                    value(consumer, "state"),
                    value(consumer, "peer"),
                    value(consumer, "events"),
                    value(consumer, "eventsBehind"),
                    value(consumer, "secondsBehind") + " s",
                    value(consumer, "overtakenInSeconds")));
        }
        table(rows);
        for (BsonValue item : consumers) {
            if (!item.asDocument().isNull("warning")) {
                text.append("  ! ")
                        .append(value(item.asDocument(), "id"))
                        .append(": ")
                        .append(value(item.asDocument(), "warning"))
                        .append('\n');
            }
        }
    }

    private void table(List<List<String>> rows) {
        text.append('\n');
        var columns = rows.getFirst().size();
        var widths = new int[columns];
        rows.forEach(row -> {
            for (var i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        for (var row : rows) {
            var line = new StringBuilder();
            for (var i = 0; i < columns; i++) {
                line.append(String.format("%-" + (widths[i] + 2) + "s", row.get(i)));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
    }

    private static String value(BsonDocument in, String name) {
        return value(in, name, "");
    }

    private static String value(BsonDocument in, String name, String unit) {
        var value = in.get(name);
        if (value == null || value.isNull()) {
            return "-";
        }
        return value.isString() ? value.asString().getValue() : value.asNumber().longValue() + unit;
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
