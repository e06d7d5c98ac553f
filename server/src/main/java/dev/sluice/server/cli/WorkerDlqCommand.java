package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.cut;
import static dev.sluice.server.cli.TextTable.value;

import dev.sluice.server.http.Json;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sluice worker dlq}: messages that failed for good. */
@Command(
        name = "dlq",
        header = "Dead letters of the worker's group: list, show, retry, delete.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice worker dlq list|show|retry|delete [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class WorkerDlqCommand extends GroupCommand {
    private static final String PATH = WorkerCommand.PATH + "/dlq";

    static CommandLine create() {
        return new CommandLine(new WorkerDlqCommand())
                .addSubcommand(new ListThem())
                .addSubcommand(new Show())
                .addSubcommand(new Retry())
                .addSubcommand(new Delete());
    }

    @Command(
            name = "list",
            header = "Show dead letters, the oldest first.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = "A dead letter is a message whose handler failed in all worker.attempts, or that the receiver"
                    + " rejected (HTTP 400, 413, 422). Its partition went on without it. SINCE is when it was stored, REASON"
                    + " the last failure. Every worker of the group shows the same letters.",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker dlq list --limit 20")
    static final class ListThem extends NodeCommand {
        private static final int REASON = 60;

        @Option(names = "--limit", paramLabel = "N", description = "At most N, 1 to 1000. Default: 100.")
        private int limit = 100;

        @Option(names = "--after", paramLabel = "POSITION", description = "Continue behind this position.")
        private long after;

        @Override
        public Integer call() throws InterruptedException {
            return show(node.get(PATH + "?limit=" + limit + "&after=" + after), ListThem::table);
        }

        private static String table(BsonDocument answer) {
            var table = TextTable.of("ID", "SINCE", "PARTITION", "SUBJECT", "WORKER", "BYTES", "ATTEMPTS", "REASON");
            for (BsonValue item : answer.getArray("deadLetters")) {
                var one = item.asDocument();
                table.row(
                        value(one, "id"),
                        value(one, "storedAt"),
                        value(one, "partition"),
                        value(one, "subject"),
                        value(one, "worker"),
                        value(one, "bytes"),
                        value(one, "attempts"),
                        cut(value(one, "reason"), REASON));
            }
            var next = value(answer, "next");
            var more = next.equals("-") ? "" : "more with --after " + next + "\n";
            return table.isEmpty() ? "no dead letters\n" : table + more;
        }
    }

    @Command(
            name = "show",
            header = "Show one dead letter whole, with its message.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = "With its headers, its failures and its body: body is text, bodyBase64 anything else.",
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker dlq show 1763251200000.7.4211")
    static final class Show extends NodeCommand {
        @Parameters(paramLabel = "ID", description = "As sluice worker dlq list shows it.")
        @SuppressWarnings("NullAway.Init")
        private String id;

        @Override
        public Integer call() throws InterruptedException {
            return show(
                    node.get(PATH + "/" + encoded(id)),
                    letter -> letter.toJson(JsonWriterSettings.builder()
                                    .outputMode(JsonMode.RELAXED)
                                    .indent(true)
                                    .build())
                            + "\n");
        }
    }

    @Command(
            name = "retry",
            header = "Publish the messages of dead letters again.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description =
                    "Each goes to its subject as a new message, behind all others of its partition, and its dead letter"
                            + " is deleted. So fix the handler first: a message that fails again becomes a dead letter"
                            + " again, under another id. --all takes the letters that exist when the command starts, in"
                            + " requests of 50, and prints them as they are done; a command that was interrupted can be"
                            + " started again. Exit code 1 when one of them stays.",
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker dlq retry --all")
    static final class Retry extends NodeCommand {
        private static final int IDS_PER_REQUEST = 50;

        @Parameters(
                paramLabel = "ID",
                arity = "0..*",
                description = "Ids as sluice worker dlq list shows them; or --all.")
        private List<String> ids = List.of();

        @Option(names = "--all", description = "All there are, the oldest first.")
        private boolean all;

        @Override
        public Integer call() throws InterruptedException {
            if (all == !ids.isEmpty()) {
                throw new ParameterException(spec.commandLine(), "name ids, or --all, and not both");
            }
            var wanted = all ? everyId() : ids;
            var retried = new BsonArray();
            var failed = new BsonArray();
            for (var from = 0; from == 0 || from < wanted.size(); from += IDS_PER_REQUEST) {
                var answer = retry(wanted.subList(from, Math.min(wanted.size(), from + IDS_PER_REQUEST)));
                retried.addAll(answer.getArray("retried"));
                failed.addAll(answer.getArray("failed"));
            }
            if (json) {
                show(Json.text(Json.object("retried", retried, "failed", failed)), Retry::sentences);
            }
            return failed.isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
        }

        /** Small requests: each must be answered within the time limit of the client. People see each answer at once. */
        private BsonDocument retry(List<String> some) throws InterruptedException {
            var wanted = Json.object("ids", Json.array(some, BsonString::new));
            var body = node.send("POST", PATH + "/retry", Json.text(wanted));
            if (!json) {
                show(body, Retry::sentences);
            }
            return BsonDocument.parse(body);
        }

        /** Read before the first retry: a letter that fails again meanwhile is not taken twice. */
        private List<String> everyId() throws InterruptedException {
            var found = new ArrayList<String>();
            for (var next = "0"; !next.equals("-"); ) {
                var page = BsonDocument.parse(node.get(PATH + "?limit=" + IDS_PER_REQUEST + "&after=" + next));
                page.getArray("deadLetters").forEach(letter -> found.add(value(letter.asDocument(), "id")));
                next = value(page, "next");
            }
            return found;
        }

        private static String sentences(BsonDocument answer) {
            var text = new StringBuilder();
            answer.getArray("retried")
                    .forEach(item -> text.append("published again: ")
                            .append(value(item.asDocument(), "id"))
                            .append(" as sequence ")
                            .append(value(item.asDocument(), "sequence"))
                            .append('\n'));
            answer.getArray("failed")
                    .forEach(item -> text.append("stays: ")
                            .append(value(item.asDocument(), "id"))
                            .append(": ")
                            .append(value(item.asDocument(), "reason"))
                            .append('\n'));
            return text.isEmpty() ? "no dead letters\n" : text.toString();
        }
    }

    @Command(
            name = "delete",
            header = "Delete dead letters: their messages will never be handled.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description =
                    "There is no way back: keep a copy with sluice worker dlq show ID. The ids are deleted one after"
                            + " the other, and the first that does not exist ends the command with exit code 1.",
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker dlq delete 1763251200000.7.4211")
    static final class Delete extends RemoveEach {
        Delete() {
            super(PATH, "deleted");
        }
    }
}
