package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import dev.sluice.server.http.Json;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code sluice worker partitions}: the partitions of a group of workers. */
@Command(
        name = "partitions",
        header = "The partitions of the worker's group: list, change.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice worker partitions list|change [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class WorkerPartitionsCommand extends GroupCommand {
    private static final String PATH = WorkerCommand.PATH + "/partitions";

    static CommandLine create() {
        return new CommandLine(new WorkerPartitionsCommand())
                .addSubcommand(new ListThem())
                .addSubcommand(new Change());
    }

    @Command(
            name = "list",
            header = "Show every partition of the group with its owner.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = "OWNER is the id of the worker that handles the partition, or - while it moves. TOKEN is its"
                    + " fencing token: a handler's writes under a lower one are stale. CLOSED partitions are handled to"
                    + " their last message and get no more.",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker partitions list --json")
    static final class ListThem extends NodeCommand {
        @Override
        public Integer call() throws InterruptedException {
            return show(node.get(PATH), ListThem::table);
        }

        private static String table(BsonDocument group) {
            var table = TextTable.of("PARTITION", "INDEX", "FILTER", "OWNER", "TOKEN", "CLOSED");
            for (BsonValue item : group.getArray("partitions")) {
                var one = item.asDocument();
                table.row(
                        value(one, "partition"),
                        value(one, "index"),
                        value(one, "filter"),
                        value(one, "owner"),
                        value(one, "token"),
                        value(one, "closed"));
            }
            return table
                    + String.format(
                            "%s: %s; %d workers, %s partitions without an owner%n",
                            value(group, "group"),
                            value(group, "partitioning"),
                            group.getArray("workers").size(),
                            value(group, "unowned"));
        }
    }

    @Command(
            name = "change",
            header = "Give the whole group other partitions.",
            synopsisHeading = "%nUsage:%n  ",
            customSynopsis =
                    "sluice worker partitions change --subjects A,B | --pattern P | --hashed PREFIX:COUNT [options]",
            descriptionHeading = "%n",
            description = {
                "Running workers follow. A partition that is left out is handled to its last message, then closed. Set"
                        + " worker.partitions to the same afterwards: a worker that starts with others is refused."
            },
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker partitions change --hashed orders:128")
    static final class Change extends NodeCommand {
        @ArgGroup(multiplicity = "1")
        @SuppressWarnings("NullAway.Init") // picocli sets it before call()
        private Wanted wanted;

        static final class Wanted {
            @Option(names = "--subjects", paramLabel = "A,B", split = ",", description = "One partition per subject.")
            private @Nullable List<String> subjects;

            @Option(names = "--pattern", paramLabel = "P", description = "As in dc.{tool}.{chamber}.completion.")
            private @Nullable String pattern;

            @Option(names = "--hashed", paramLabel = "PREFIX:COUNT", description = "Hash slots, as in orders:128.")
            private @Nullable String hashed;
        }

        @Override
        public Integer call() throws InterruptedException {
            return show(node.send("PUT", PATH, Json.text(body())), Change::sentence);
        }

        private BsonDocument body() {
            if (wanted.subjects != null) {
                return Json.object("subjects", Json.array(wanted.subjects, BsonString::new));
            }
            if (wanted.pattern != null) {
                return Json.object("pattern", wanted.pattern);
            }
            var parts = String.valueOf(wanted.hashed).split(":", -1);
            if (parts.length != 2 || !parts[1].matches("[1-9]\\d{0,4}")) {
                throw new ParameterException(spec.commandLine(), "write --hashed PREFIX:COUNT, as in orders:128");
            }
            return Json.object("hashed", Json.object("prefix", parts[0], "count", Integer.parseInt(parts[1])));
        }

        private static String sentence(BsonDocument change) {
            var text = new StringBuilder(String.format(
                    "%s added, %s reopened, %s closed, %s closing%n",
                    value(change, "added"),
                    value(change, "reopened"),
                    value(change, "closed"),
                    value(change, "closing")));
            change.getArray("warnings")
                    .forEach(warning -> text.append("  ! ")
                            .append(warning.asString().getValue())
                            .append('\n'));
            return text.toString();
        }
    }
}
