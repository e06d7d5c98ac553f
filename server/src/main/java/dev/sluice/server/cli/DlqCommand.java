package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.cut;
import static dev.sluice.server.cli.TextTable.value;

import dev.sluice.server.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonWriterSettings;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sluice dlq}: what gateways would not take. */
@Command(
        name = "dlq",
        header = "Dead letters, events a gateway would not take: list, show, retry, delete.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice dlq list|show|retry|delete [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class DlqCommand extends GroupCommand {
    private static final String PATH = "/admin/v1/dlq";

    static CommandLine create() {
        return new CommandLine(new DlqCommand())
                .addSubcommand(new ListThem())
                .addSubcommand(new Show())
                .addSubcommand(new Retry())
                .addSubcommand(new Delete());
    }

    @Command(
            name = "list",
            header = "Show the oldest first.",
            synopsisHeading = "%nUsage:%n  ",
            optionListHeading = "%nOptions:%n")
    static final class ListThem extends NodeCommand {
        private static final int REASON = 60;

        @Option(names = "--limit", paramLabel = "N", description = "So many at most. Default: 100.")
        private int limit = 100;

        @Option(names = "--after", paramLabel = "ID", description = "Those behind this one.")
        private String after = "";

        @Override
        public Integer call() throws InterruptedException {
            return show(node.get(PATH + "?limit=" + limit + "&after=" + encoded(after)), ListThem::table);
        }

        private static String table(BsonDocument answer) {
            var table = TextTable.of("ID", "SINCE", "GATEWAY", "SUBSCRIPTION", "TYPE", "ATTEMPTS", "REASON");
            for (BsonValue item : answer.getArray("deadLetters")) {
                var one = item.asDocument();
                table.row(
                        value(one, "id"),
                        value(one, "at"),
                        value(one, "gateway"),
                        value(one, "subscription"),
                        value(one, "type"),
                        value(one, "attempts"),
                        cut(value(one, "reason"), REASON));
            }
            var more = value(answer, "next").equals("-") ? "" : ", more with --after " + value(answer, "next");
            return table.isEmpty() ? "no dead letters\n" : table + value(answer, "count") + " in all" + more + "\n";
        }
    }

    @Command(
            name = "show",
            header = "Show one whole, with its event and what happened to it.",
            synopsisHeading = "%nUsage:%n  ",
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n")
    static final class Show extends NodeCommand {
        @Parameters(paramLabel = "ID", description = "As sluice dlq list shows it.")
        @SuppressWarnings("NullAway.Init")
        private String id;

        @Override
        public Integer call() throws InterruptedException {
            return show(
                    node.get(PATH + "/" + encoded(id)),
                    letter -> letter.toJson(
                                    JsonWriterSettings.builder().indent(true).build())
                            + "\n");
        }
    }

    @Command(
            name = "retry",
            header = "Send dead letters again, in order and not all at once.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = "Those the gateway takes now are deleted; the others stay, with one more line of history.",
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n")
    static final class Retry extends NodeCommand {
        @Parameters(paramLabel = "ID", arity = "0..*", description = "Which; or --all.")
        private List<String> ids = List.of();

        @Option(names = "--all", description = "All there are, from the oldest on.")
        private boolean all;

        @Option(names = "--dry-run", description = "Only say what would be sent.")
        private boolean dryRun;

        @Override
        public Integer call() throws InterruptedException {
            if (all == !ids.isEmpty()) {
                throw new ParameterException(spec.commandLine(), "name ids, or --all, and not both");
            }
            var wanted = Json.object(
                    "ids", Json.array(ids, BsonString::new),
                    "all", all,
                    "dryRun", dryRun);
            var body = node.send("POST", PATH + "/retry", Json.text(wanted));
            show(body, Retry::sentence);
            return BsonDocument.parse(body).getArray("refused").isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
        }

        private static String sentence(BsonDocument answer) {
            var lines = new ArrayList<String>();
            var would = answer.getBoolean("dryRun").getValue() ? "would be sent: " : "goes out again: ";
            answer.getArray("accepted")
                    .forEach(id -> lines.add(would + id.asString().getValue()));
            answer.getArray("refused")
                    .forEach(id -> lines.add("stays: " + id.asString().getValue()));
            return lines.isEmpty() ? "no dead letters\n" : lines.stream().collect(Collectors.joining("\n", "", "\n"));
        }
    }

    @Command(
            name = "delete",
            header = "Give up dead letters for good.",
            synopsisHeading = "%nUsage:%n  ",
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n")
    static final class Delete extends RemoveEach {
        Delete() {
            super(PATH, "deleted");
        }
    }
}
