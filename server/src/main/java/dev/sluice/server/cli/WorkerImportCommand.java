package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.config.WorkerConfig;
import dev.sluice.server.http.Json;
import dev.sluice.server.worker.WorkerImport;
import dev.sluice.worker.migrate.ImportPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice worker import}: a new group goes on where the consumers of another program stand. */
@Command(
        name = "import",
        header = "Begin a new group where another program's consumers stand.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description = {
            "For a program that has one durable consumer per partition. The consumers' ack floors become the cursors of a group"
                    + " whose workers have not started yet. Messages the program acknowledged above an ack floor are"
                    + " handled again; none is left out.",
            "",
            "  1. write the workers' configuration: worker.stream, consumer_prefix,",
            "     partitions; each consumer must filter exactly one of the partitions",
            "  2. import --dry-run, as often as you like, also while the program runs",
            "  3. stop the program; import; start the workers",
            "  4. when worker status shows a SOURCE for every partition, delete the",
            "     program's consumers: on an interest stream not earlier, or messages are",
            "     lost, and not much later, because it keeps all messages for them",
            "",
            "Way back before step 4: stop the workers and start the program; it handles again what the workers handled.",
            "A work queue needs no import: stop the program, delete its consumers, start the workers.",
            "Exit code 1 when something prevents the import; nothing is written then."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = {
            "  sluice worker import -c sluice.yaml --consumers 'old-{partition}' --dry-run",
            "  sluice worker import -c sluice.yaml --consumers 'old-{partition}'"
        })
final class WorkerImportCommand implements Callable<Integer> {
    private final Map<String, String> environment;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            required = true,
            description = "The workers' configuration.")
    @SuppressWarnings("NullAway.Init")
    private Path config;

    @Option(
            names = "--consumers",
            paramLabel = "NAMES",
            required = true,
            description = "How the program's consumers are named: {partition} stands once, for the part that differs.")
    @SuppressWarnings("NullAway.Init")
    private String names;

    @Option(names = "--dry-run", description = "Show where each partition would begin, and write nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "One JSON object, for machines.")
    private boolean json;

    WorkerImportCommand(Map<String, String> environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        return switch (ConfigFile.read(config, environment)) {
            case Reading.Accepted accepted -> take(accepted.config());
            case Reading.Refused refused -> {
                refused.problems()
                        .forEach(problem -> spec.commandLine().getErr().println(problem.describe(config.toString())));
                yield ExitCode.FAILED;
            }
        };
    }

    private int take(SluiceConfig accepted) throws IOException, InterruptedException {
        try (var imports = WorkerImport.open(accepted)) {
            var plan = imports.plan(names);
            var possible = plan.problems().isEmpty();
            if (possible && !dryRun) {
                imports.apply(plan);
            }
            show(answer(plan, accepted.worker(), possible && !dryRun));
            return possible ? ExitCode.DONE : ExitCode.FAILED;
        }
    }

    private static BsonDocument answer(ImportPlan plan, WorkerConfig worker, boolean imported) {
        return Json.object(
                "group", worker.consumerPrefix(),
                "stream", worker.stream().orElse(""),
                "imported", imported,
                "partitions", Json.array(plan.starts().entrySet(), entry -> start(entry.getKey(), entry.getValue())),
                "without", Json.array(plan.without(), Json::value),
                "start", worker.start().name().toLowerCase(Locale.ROOT),
                "problems", Json.array(plan.problems(), Json::value));
    }

    private static BsonDocument start(String filter, ImportPlan.Start start) {
        return Json.object(
                "filter", filter, "consumer", start.consumer(), "ackFloor", start.ackFloor(), "after", start.after());
    }

    private void show(BsonDocument answer) {
        var out = spec.commandLine().getOut();
        out.print(json ? Json.text(answer) + "\n" : table(answer) + ending(answer));
        out.flush();
    }

    private static String table(BsonDocument answer) {
        var table = TextTable.of("FILTER", "CONSUMER", "ACK FLOOR", "BEGINS AFTER");
        for (BsonValue item : answer.getArray("partitions")) {
            var one = item.asDocument();
            table.row(value(one, "filter"), value(one, "consumer"), value(one, "ackFloor"), value(one, "after"));
        }
        for (BsonValue filter : answer.getArray("without")) {
            table.row(filter.asString().getValue(), "-", "-", "worker.start: " + value(answer, "start"));
        }
        return table.toString();
    }

    private String ending(BsonDocument answer) {
        var problems = answer.getArray("problems");
        if (!problems.isEmpty()) {
            var text = new StringBuilder("nothing is written:\n");
            problems.forEach(problem ->
                    text.append("  ! ").append(problem.asString().getValue()).append('\n'));
            return text.toString();
        }
        return dryRun
                ? "dry run: nothing is written\n"
                : String.format(
                        "imported: start the workers of %s; when they handle messages, delete the consumers (nats consumer"
                                + " rm %s NAME)%n",
                        value(answer, "group"), value(answer, "stream"));
    }
}
