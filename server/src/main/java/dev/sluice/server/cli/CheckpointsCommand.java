package dev.sluice.server.cli;

import dev.sluice.log.EventLog;
import dev.sluice.model.InvalidInputException;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.puller.SavedCheckpoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice checkpoints}: how far each backend was captured, out of one Puller and into a new one. */
@Command(
        name = "checkpoints",
        header = "How far each backend was captured: list, export, import.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice checkpoints list|export|import [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class CheckpointsCommand extends GroupCommand {
    private static final String PATH = "/admin/v1/checkpoints";

    static CommandLine create(Map<String, String> environment) {
        return new CommandLine(new CheckpointsCommand())
                .addSubcommand(new ListThem())
                .addSubcommand(new Export())
                .addSubcommand(new Import(environment));
    }

    @Command(
            name = "list",
            header = "Show the checkpoints of a running node.",
            synopsisHeading = "%nUsage:%n  ",
            optionListHeading = "%nOptions:%n")
    static final class ListThem implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init")
        private CommandSpec spec;

        @Mixin
        private AdminAddress node = new AdminAddress();

        @Option(names = "--json", description = "The node's answer as it is, for machines.")
        private boolean json;

        @Override
        public Integer call() throws InterruptedException {
            var body = node.get(PATH);
            var out = spec.commandLine().getOut();
            out.print(json ? body + "\n" : StatusTable.ofCheckpoints(BsonDocument.parse(body)));
            out.flush();
            return ExitCode.DONE;
        }
    }

    @Command(
            name = "export",
            header = "Write the checkpoints of a running node, tokens included.",
            synopsisHeading = "%nUsage:%n  ",
            optionListHeading = "%nOptions:%n")
    static final class Export implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init")
        private CommandSpec spec;

        @Mixin
        private AdminAddress node = new AdminAddress();

        @Option(
                names = {"-o", "--output"},
                paramLabel = "FILE",
                description = "Where to. Default: standard output.")
        private @Nullable Path output;

        @Override
        public Integer call() throws InterruptedException, IOException {
            var body = node.get(PATH + "?whole=true") + "\n";
            if (output == null) {
                spec.commandLine().getOut().print(body);
                spec.commandLine().getOut().flush();
            } else {
                Files.writeString(output, body);
            }
            return ExitCode.DONE;
        }
    }

    @Command(
            name = "import",
            header = "Begin new event logs at exported checkpoints.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "For a Puller that does not run and whose logs are new: capture then goes on behind these checkpoints. A log"
                        + " that has a place of its own is never moved, and a running Puller's is refused: nothing is"
                        + " skipped in silence. Consumers whose place lies before the checkpoint get OUT_OF_RANGE."
            },
            optionListHeading = "%nOptions:%n")
    static final class Import implements Callable<Integer> {
        private final Map<String, String> environment;

        @Spec
        @SuppressWarnings("NullAway.Init")
        private CommandSpec spec;

        @Option(
                names = {"-c", "--config"},
                paramLabel = "FILE",
                required = true,
                description = "The configuration of the Puller that is to go on.")
        @SuppressWarnings("NullAway.Init")
        private Path config;

        @Option(
                names = {"-i", "--input"},
                paramLabel = "FILE",
                required = true,
                description = "What export wrote.")
        @SuppressWarnings("NullAway.Init")
        private Path input;

        Import(Map<String, String> environment) {
            this.environment = environment;
        }

        @Override
        public Integer call() throws IOException {
            return switch (ConfigFile.read(config, environment)) {
                case Reading.Accepted accepted ->
                    take(accepted.config(), SavedCheckpoints.read(Files.readString(input)));
                case Reading.Refused refused -> {
                    refused.problems()
                            .forEach(problem ->
                                    spec.commandLine().getErr().println(problem.describe(config.toString())));
                    yield ExitCode.FAILED;
                }
            };
        }

        /** All logs are looked at before the first is written. */
        private int take(SluiceConfig accepted, SavedCheckpoints saved) {
            var watched = accepted.puller().backends().stream()
                    .map(backend -> backend.name())
                    .toList();
            var unknown = saved.names().filter(name -> !watched.contains(name)).findFirst();
            if (unknown.isPresent()) {
                throw new InvalidInputException("backend " + unknown.get() + " is not in puller.backends of " + config
                        + ": name it there, or remove it from " + input);
            }
            var path = accepted.puller().buffer().path();
            saved.names().forEach(name -> with(path, name, log -> requireNew(name, log)));
            saved.names().forEach(name -> with(path, name, log -> log.append(List.of(), saved.of(name))));
            saved.names()
                    .forEach(name -> spec.commandLine()
                            .getOut()
                            .println(name + ": capture goes on behind "
                                    + saved.of(name).time()));
            return ExitCode.DONE;
        }

        private static void with(Path path, String backend, Consumer<EventLog> work) {
            try (var log = new RocksEventLog(path, backend, RocksSettings.DEFAULT)) {
                work.accept(log);
            }
        }

        private static void requireNew(String backend, EventLog log) {
            if (log.state().started()) {
                throw new InvalidInputException("the event log of " + backend + " has a place of its own, which is not"
                        + " moved: move its directory away first if it is to begin anew; nothing was imported");
            }
        }
    }
}
