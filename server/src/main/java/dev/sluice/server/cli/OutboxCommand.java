package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.cut;
import static dev.sluice.server.cli.TextTable.value;

import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.server.http.Json;
import dev.sluice.server.outbox.OutboxDatabase;
import dev.sluice.server.outbox.OutboxReport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice outbox}: the tables of an outbox, where its messages stand, and those that were given up. */
@Command(
        name = "outbox",
        header = "The outbox's tables: init, migrate, status, requeue.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice outbox init|migrate|status|requeue --jdbc-url URL [options]",
        descriptionHeading = "%n",
        description =
                "They work on the database itself, whether relays run or not. docs/outbox.md tells the whole story.",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = {
            "  export OUTBOX_PASSWORD=...",
            "  sluice outbox init --jdbc-url jdbc:postgresql://127.0.0.1/shop --user relay",
            "  sluice outbox status --jdbc-url jdbc:postgresql://127.0.0.1/shop --user relay"
        })
final class OutboxCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run()
    private CommandSpec spec;

    static CommandLine create(Map<String, String> environment) {
        return new CommandLine(new OutboxCommand())
                .addSubcommand(new Init(environment))
                .addSubcommand(new OutboxMigrateCommand(environment))
                .addSubcommand(new Status(environment))
                .addSubcommand(new Requeue(environment));
    }

    /** Reached only when none of them is named. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name init, migrate, status or requeue");
    }

    /** What they have in common. */
    abstract static class OnDatabase implements Callable<Integer> {
        private final Map<String, String> environment;

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it before call()
        protected CommandSpec spec;

        @Mixin
        private JdbcAccess access = new JdbcAccess();

        @Option(names = "--json", description = "One JSON object, for machines.")
        protected boolean json;

        OnDatabase(Map<String, String> environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws Exception {
            try (var database = access.open(environment)) {
                return run(database);
            }
        }

        abstract int run(OutboxDatabase database) throws Exception;

        final int show(BsonDocument answer, Function<BsonDocument, String> form) {
            var out = spec.commandLine().getOut();
            out.print(json ? Json.text(answer) + "\n" : form.apply(answer));
            out.flush();
            return ExitCode.DONE;
        }
    }

    @Command(
            name = "init",
            header = "Make the tables that are not there yet.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "Makes outbox_events and the tables beside it, and those by which relays share the work (shedlock,"
                        + " sluice_coordination). Running it again is harmless. Migration tools find the same as"
                        + " versioned SQL in the jar, below dev/sluice/outbox/."
            },
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice outbox init --jdbc-url jdbc:postgresql://127.0.0.1/shop --user owner")
    static final class Init extends OnDatabase {
        Init(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int run(OutboxDatabase database) {
            var before = OutboxSchema.version(database.source());
            OutboxSchema.create(database.source());
            var answer = Json.object("tables", OutboxSchema.version(database.source()), "created", before == 0);
            return show(
                    answer,
                    done -> done.getBoolean("created").getValue()
                            ? "the outbox's tables are there now; write with Outbox.append, relay with: sluice run --role"
                                    + " outbox\n"
                            : "the outbox's tables were there already\n");
        }
    }

    @Command(
            name = "status",
            header = "What waits, per partition, and who sends it; what was given up.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "PENDING are messages that are committed and not sent. A parked key waits because one of its messages"
                        + " failed; a dead message was given up, and waits for: sluice outbox requeue."
            },
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = {
                "  sluice outbox status --jdbc-url jdbc:postgresql://127.0.0.1/shop",
                "  sluice outbox status --jdbc-url jdbc:postgresql://127.0.0.1/shop --dead"
            })
    static final class Status extends OnDatabase {
        private static final int REASON = 60;

        @Option(names = "--name", paramLabel = "NAME", description = "outbox.name of its relays. Default: outbox.")
        private String name = "outbox";

        @Option(names = "--dead", description = "Also list messages that were given up, with the reason.")
        private boolean dead;

        @Option(names = "--after", paramLabel = "ID", description = "Of those, only with ids above this one.")
        private long after = Long.MIN_VALUE;

        @Option(names = "--limit", paramLabel = "N", description = "Of those, so many at most. Default: 100.")
        private int limit = 100;

        Status(Map<String, String> environment) {
            super(environment);
        }

        @Override
        int run(OutboxDatabase database) {
            var answer = OutboxReport.of(database.source(), name);
            if (dead && answer.containsKey("dead")) {
                var rows = new OutboxTable(database.source(), Keeping.DELETE).dead(limit, after);
                answer.put("deadRows", OutboxReport.dead(rows));
            }
            return show(answer, Status::text);
        }

        private static String text(BsonDocument answer) {
            if (!answer.containsKey("pending")) {
                return "tables of a global lock, without partitions; take them forward with: sluice outbox migrate\n";
            }
            var table = TextTable.of("PARTITION", "RELAY", "PENDING", "OLDEST");
            for (BsonValue item : answer.getArray("partitions")) {
                var one = item.asDocument();
                table.row(
                        value(one, "partition"),
                        value(one, "owner"),
                        value(one, "pending"),
                        value(one, "oldestSeconds", " s"));
            }
            var relays = answer.getArray("relays").stream()
                    .map(relay -> relay.asString().getValue())
                    .collect(Collectors.joining(", "));
            return table
                    + String.format(
                            "%n%s pending, %s keys parked, %s dead; %s%s%n",
                            value(answer, "pending"),
                            value(answer, "parked"),
                            value(answer, "dead"),
                            relays.isEmpty() ? "no relay runs" : "relays: " + relays,
                            answer.getBoolean("changing").getValue() ? "; the number of claims is being changed" : "")
                    + deadRows(answer);
        }

        private static String deadRows(BsonDocument answer) {
            if (!answer.containsKey("deadRows") || answer.getArray("deadRows").isEmpty()) {
                return "";
            }
            var table = TextTable.of("ID", "SINCE", "TOPIC", "KEY", "ATTEMPTS", "REASON");
            for (BsonValue item : answer.getArray("deadRows")) {
                var one = item.asDocument();
                table.row(
                        value(one, "id"),
                        value(one, "at"),
                        value(one, "topic"),
                        value(one, "key"),
                        value(one, "attempts"),
                        cut(value(one, "reason"), REASON));
            }
            return "\n" + table;
        }
    }

    @Command(
            name = "requeue",
            header = "Send messages again that were given up.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "They go back under their old ids and are sent like new ones. Where later messages of the same key are out"
                        + " already (sluice outbox status --dead says so by --json), they arrive after those."
            },
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = {
                "  sluice outbox requeue --jdbc-url jdbc:postgresql://127.0.0.1/shop 4711 4712",
                "  sluice outbox requeue --jdbc-url jdbc:postgresql://127.0.0.1/shop --all"
            })
    static final class Requeue extends OnDatabase {
        @Parameters(paramLabel = "ID", arity = "0..*", description = "Which; or --key, or --all.")
        private List<Long> ids = List.of();

        @Option(names = "--key", paramLabel = "KEY", description = "All of this key.")
        private @Nullable String key;

        @Option(names = "--all", description = "All there are.")
        private boolean all;

        Requeue(Map<String, String> environment) {
            super(environment);
        }

        @Override
        public Integer call() throws Exception {
            if ((ids.isEmpty() ? 0 : 1) + (key == null ? 0 : 1) + (all ? 1 : 0) != 1) {
                throw new ParameterException(spec.commandLine(), "name ids, or --key, or --all, and only one of them");
            }
            return super.call();
        }

        @Override
        int run(OutboxDatabase database) {
            var table = new OutboxTable(database.source(), Keeping.DELETE);
            var count = all ? table.requeueAll() : key == null ? table.requeue(ids) : table.requeueKey(key);
            show(
                    Json.object("requeued", count),
                    answer -> count == 0
                            ? "none of them is dead: see sluice outbox status --dead\n"
                            : "put back, to be sent again: " + count + "\n");
            return count == 0 && !all ? ExitCode.FAILED : ExitCode.DONE;
        }
    }
}
