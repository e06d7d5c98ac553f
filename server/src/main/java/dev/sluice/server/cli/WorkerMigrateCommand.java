package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import dev.sluice.server.http.Json;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice worker migrate}: another consumer mode for a group that runs. */
@Command(
        name = "migrate",
        header = "Change the consumer mode of the whole group while it runs.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis =
                "sluice worker migrate --to per-partition|per-worker | --status | --abort | --forget [options]",
        descriptionHeading = "%n",
        description = {
            "On a limits stream consumers of the new mode are first only counted beside the old ones, which handle; when"
                    + " every worker has enough windows in which both got the same messages, the new mode handles"
                    + " (burn-in). Other streams begin with the burn-in. Too many bad windows (messages differ, lag,"
                    + " redeliveries, a stalled partition, a new problem) bring the old mode back by themselves. The"
                    + " limits are worker.migration.* of this node.",
            "",
            "The last migration decides the mode of the group from then on, whatever worker.consumers says: set it to the"
                    + " same. --forget lets worker.consumers decide again."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = {"  sluice worker migrate --to per-partition", "  sluice worker migrate --status"})
final class WorkerMigrateCommand extends NodeCommand {
    private static final String PATH = WorkerCommand.PATH + "/migration";

    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private Wanted wanted;

    static final class Wanted {
        @Option(names = "--to", paramLabel = "MODE", description = "per-partition or per-worker.")
        private @Nullable String mode;

        @Option(names = "--status", description = "Show the last migration and the windows of each worker.")
        private boolean status;

        @Option(names = "--abort", description = "End a migration that runs: the old mode handles.")
        private boolean abort;

        @Option(names = "--forget", description = "After its end: let worker.consumers of each worker decide again.")
        private boolean forget;
    }

    @Override
    public Integer call() throws InterruptedException {
        return show(answer(), WorkerMigrateCommand::text);
    }

    private String answer() throws InterruptedException {
        if (wanted.mode != null) {
            return node.send("POST", PATH, Json.text(Json.object("to", wanted.mode)));
        }
        if (wanted.abort) {
            return node.send("POST", PATH + "/abort", "");
        }
        return wanted.forget ? node.send("DELETE", PATH, "") : node.get(PATH);
    }

    private static String text(BsonDocument answer) {
        var migration = answer.get("migration");
        if (migration == null || migration.isNull()) {
            return "no migration: worker.consumers of each worker decides\n";
        }
        var text = new StringBuilder(sentence(migration.asDocument()) + "\n");
        var table = TextTable.of("WORKER", "GOOD", "BAD", "LAST WINDOW");
        for (BsonValue item : answer.getArray("workers")) {
            var one = item.asDocument();
            table.row(value(one, "worker"), value(one, "good"), value(one, "bad"), value(one, "text"));
        }
        text.append(table.isEmpty() ? "" : table.toString());
        answer.getArray("warnings")
                .forEach(warning -> text.append("  ! ")
                        .append(warning.asString().getValue())
                        .append('\n'));
        return text.toString();
    }

    static String sentence(BsonDocument migration) {
        var reason = migration.get("reason");
        return String.format(
                "migration %s to %s: %s since %s, %s handles%s",
                value(migration, "from"),
                value(migration, "to"),
                value(migration, "phase"),
                value(migration, "since"),
                value(migration, "mode"),
                reason == null || reason.isNull() ? "" : "; " + value(migration, "reason"));
    }
}
