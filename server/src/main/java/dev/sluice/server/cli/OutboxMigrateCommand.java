package dev.sluice.server.cli;

import dev.sluice.outbox.table.Slice;
import dev.sluice.server.http.Json;
import dev.sluice.server.outbox.OutboxDatabase;
import dev.sluice.server.outbox.OutboxMigration;
import java.util.Map;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code sluice outbox migrate}: from a global lock to partitions, to another number of them, and back. */
@Command(
        name = "migrate",
        header = "Change the layout while it is in use: to partitions, to another number, back.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description = {
            "From an outbox with one global lock (no partition_id) to partitions, without a stop:",
            "  1. migrate --partitions N: adds columns and indexes, gives rows their",
            "     partition ids in chunks; old nodes go on, relays share one claim",
            "  2. applications write with this version and outbox.total.partitions: N",
            "  3. relays start, with outbox.global_lock: the name of the old nodes' lock",
            "  4. the old nodes stop, those that only write too; relays restart without",
            "     outbox.global_lock; migrate --partitions N --old-nodes-gone gives them",
            "     N claims",
            "",
            "To another number of partitions (outbox.total.partitions of all writers and relays), in the order that keeps each key with one sender:",
            "  more, a multiple (6 to 12):  restart writers, then relays, with 12;",
            "                               migrate --partitions 12",
            "  fewer, a divisor (12 to 6):  migrate --partitions 6; restart writers and",
            "                               relays with 6; again migrate --partitions 6",
            "  any other (6 to 7):          migrate --global-lock; restart writers and",
            "                               relays with 7; migrate --partitions 7",
            "A relay whose number is no multiple of the claims sends nothing, and says so in its health.",
            "",
            "Back:",
            "  1. migrate --global-lock: one claim, whose owner sends everything (also a",
            "     quick way out of trouble with partitions)",
            "  2. relays restart with outbox.global_lock, then old nodes may start",
            "  3. relays and applications of this version stop",
            "  4. migrate --back: tables as they were; pending messages stay",
            "Interrupted, any of them is simply run again."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = "  sluice outbox migrate --jdbc-url jdbc:postgresql://127.0.0.1/shop --partitions 12")
final class OutboxMigrateCommand extends OutboxCommand.OnDatabase {
    /** Where to. */
    static final class Goal {
        @Option(names = "--partitions", paramLabel = "N", description = "So many partitions, 1 to 1024.")
        private int partitions;

        @Option(names = "--global-lock", description = "One claim for all partitions.")
        private boolean globalLock;

        @Option(names = "--back", description = "Tables without partitions, as an older outbox has them.")
        private boolean back;
    }

    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private Goal goal;

    @Option(
            names = "--old-nodes-gone",
            description =
                    "With --partitions, after a global lock: no node of the older outbox sends or writes any more.")
    private boolean oldNodesGone;

    @Option(names = "--name", paramLabel = "NAME", description = "outbox.name of its relays. Default: outbox.")
    private String name = "outbox";

    OutboxMigrateCommand(Map<String, String> environment) {
        super(environment);
    }

    @Override
    public Integer call() throws Exception {
        if (!goal.back && !goal.globalLock && (goal.partitions < 1 || goal.partitions > Slice.MOST_PARTITIONS)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--partitions must be 1 to " + Slice.MOST_PARTITIONS + ", not " + goal.partitions);
        }
        if (oldNodesGone && (goal.back || goal.globalLock)) {
            throw new ParameterException(spec.commandLine(), "--old-nodes-gone goes with --partitions only");
        }
        return super.call();
    }

    @Override
    int run(OutboxDatabase database) throws InterruptedException {
        try (var migration = new OutboxMigration(database.source(), name, this::progress)) {
            var done = goal.back
                    ? migration.back()
                    : goal.globalLock
                            ? migration.toGlobalLock()
                            : migration.toPartitions(goal.partitions, oldNodesGone);
            var answer = Json.object(
                    "tables", done.tables(),
                    "claims", done.claims(),
                    "rows", done.rows(),
                    "next", Json.array(done.next(), Json::value));
            return show(answer, OutboxMigrateCommand::text);
        }
    }

    /** Beside the answer, so that machines read that alone. */
    private void progress(String line) {
        spec.commandLine().getErr().println(line);
    }

    private static String text(BsonDocument done) {
        var next = done.getArray("next");
        return String.format(
                        "done: %s, %s; %,d rows got their partition ids%n",
                        done.getNumber("tables").intValue() == 1 ? "tables of a global lock" : "tables with partitions",
                        done.getNumber("claims").intValue() == 1
                                ? "one claim for all"
                                : done.getNumber("claims").intValue() + " claims",
                        done.getNumber("rows").longValue())
                + (next.isEmpty()
                        ? ""
                        : next.stream()
                                .map(step -> "  - " + step.asString().getValue())
                                .collect(Collectors.joining("\n", "next:\n", "\n")));
    }
}
