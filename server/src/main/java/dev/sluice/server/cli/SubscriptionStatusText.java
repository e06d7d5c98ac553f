package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.cut;
import static dev.sluice.server.cli.TextTable.value;

import dev.sluice.server.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** The answer of {@code /admin/v1/subscriptions/ID} for people. */
final class SubscriptionStatusText {
    private static final int FILTER = 100;

    private final BsonDocument answer;
    private final StringBuilder text = new StringBuilder();

    private SubscriptionStatusText(BsonDocument answer) {
        this.answer = answer;
    }

    static String of(BsonDocument answer) {
        var all = new SubscriptionStatusText(answer);
        all.definition();
        all.partitions();
        return all.text.toString();
    }

    private void definition() {
        var one = answer.getDocument("subscription");
        line("subscription", value(one, "id"));
        line("delivered to", value(answer, "home") + gateways());
        line(
                "collection",
                value(one, "collection")
                        + part(", tenant ", value(one, "tenant"))
                        + part(", document ", value(one, "documentId")));
        var filter = one.getDocument("filter");
        if (!filter.isEmpty()) {
            line("filter", cut(Json.text(filter), FILTER));
        }
        line("priority", value(one, "priority"));
        line("revision", value(answer, "revision"));
    }

    private void line(String name, String value) {
        text.append(String.format("%-13s %s%n", name, value));
    }

    private static String part(String before, String value) {
        return value.equals("-") ? "" : before + value;
    }

    private String gateways() {
        var states = new ArrayList<String>();
        var home = value(answer, "home");
        for (BsonValue item : answer.getArray("gateways")) {
            var one = item.asDocument();
            var name = home.equals("gateway " + value(one, "id")) ? "" : value(one, "id") + " ";
            states.add(name + state(one));
        }
        return states.isEmpty() ? " (no gateway serves it now)" : " (" + String.join("; ", states) + ")";
    }

    private static String state(BsonDocument gateway) {
        var state = switch (value(gateway, "state")) {
            case "up" -> gateway.getBoolean("breakerOpen").getValue() ? "breaker open" : "connected";
            case "away" -> "not connected";
            default -> "not registered";
        };
        return state + part(": ", value(gateway, "lastError"));
    }

    private void partitions() {
        var standings = answer.getArray("standings");
        var here = new TreeSet<Integer>();
        var waiting = new TreeSet<Integer>();
        var rows = new ArrayList<BsonDocument>();
        for (BsonValue item : standings) {
            var one = item.asDocument();
            here.add(one.getNumber("partition").intValue());
            if (!one.getBoolean("atRest").getValue()) {
                waiting.add(one.getNumber("partition").intValue());
                rows.add(one);
            }
        }
        text.append('\n');
        var count = answer.getNumber("partitions").intValue();
        var resting = here.size() - waiting.size();
        if (resting > 0) {
            text.append(resting == count && count > 1 ? "all " + count : resting + " of " + count)
                    .append(" partitions: at the tail, nothing waits\n");
        }
        if (!rows.isEmpty()) {
            text.append(table(rows));
        }
        var elsewhere = answer.getArray("notOwnedHere");
        if (!elsewhere.isEmpty()) {
            text.append(elsewhere.size())
                    .append(" of ")
                    .append(count)
                    .append(" partitions have no owner here, ask another node: ")
                    .append(numbers(elsewhere))
                    .append('\n');
        }
    }

    /** With neighbours in one: {@code 0-3, 7}. */
    private static String numbers(BsonArray all) {
        var runs = new ArrayList<int[]>();
        for (BsonValue item : all) {
            var number = item.asNumber().intValue();
            if (!runs.isEmpty() && runs.getLast()[1] == number - 1) {
                runs.getLast()[1] = number;
            } else {
                runs.add(new int[] {number, number});
            }
        }
        return runs.stream()
                .map(run -> run[0] == run[1] ? "" + run[0] : run[0] + "-" + run[1])
                .collect(Collectors.joining(", "));
    }

    private String table(List<BsonDocument> rows) {
        var table = TextTable.of(cells(
                "PARTITION",
                "LOG",
                "GATEWAY",
                "GROUP",
                "ACKED",
                "READ",
                "TAIL",
                "BEHIND",
                "BATCH",
                "RESYNC",
                "WHY IT WAITS"));
        for (var one : rows) {
            table.row(cells(
                    value(one, "partition"),
                    value(one, "log"),
                    value(one, "gateway"),
                    value(one, "group"),
                    clusterTime(value(one, "acked")),
                    clusterTime(value(one, "read")),
                    clusterTime(value(one, "tail")),
                    behind(one),
                    none(value(one, "batch")).replace('_', ' '),
                    one.getBoolean("resyncOwed").getValue() ? "owed" : "-",
                    value(one, "waits")));
        }
        return table.toString();
    }

    /** Without the gateway where it is the same in all rows. */
    private String[] cells(String partition, String log, String gateway, String... more) {
        var cells = new ArrayList<>(List.of(partition, log));
        if (answer.getArray("gateways").size() > 1) {
            cells.add(gateway);
        }
        cells.addAll(List.of(more));
        return cells.toArray(String[]::new);
    }

    /** Of an event id without what tells events of one time apart. */
    private static String clusterTime(String id) {
        var hash = id.lastIndexOf('-');
        return hash <= 0 ? id : id.substring(0, hash);
    }

    private static String none(String batch) {
        return batch.equals("none") ? "-" : batch;
    }

    private static String behind(BsonDocument one) {
        var events = value(one, "eventsBehind");
        if (events.equals("-")) {
            return value(one, "secondsBehind", " s");
        }
        return events + (events.equals("1") ? " event" : " events");
    }
}
