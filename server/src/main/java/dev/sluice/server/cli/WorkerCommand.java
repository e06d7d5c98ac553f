package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.cut;
import static dev.sluice.server.cli.TextTable.value;

import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code sluice worker}: a running JetStream worker, and the way into a group of workers. */
@Command(
        name = "worker",
        header = "JetStream workers: status, pause, resume, drain, partitions, migrate, dlq, import.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice worker status|pause|resume|drain|partitions|migrate|dlq|import [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class WorkerCommand extends GroupCommand {
    static final String PATH = "/admin/v1/worker";

    static CommandLine create(Map<String, String> environment) {
        return new CommandLine(new WorkerCommand())
                .addSubcommand(new Status())
                .addSubcommand(new Pause())
                .addSubcommand(new Resume())
                .addSubcommand(new Drain())
                .addSubcommand(WorkerPartitionsCommand.create())
                .addSubcommand(new WorkerMigrateCommand())
                .addSubcommand(WorkerDlqCommand.create())
                .addSubcommand(new WorkerImportCommand(environment));
    }

    @Command(
            name = "status",
            header = "Show the worker, its consumers, and each partition it owns.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "LOW is the stream sequence up to which every message of the partition is finished, LAG the messages that"
                        + " are not, as far as the server told. SOURCE is durable (the worker's consumer), catch_up (a"
                        + " consumer of its own) or none. WAITING says why a partition handles nothing: retry,"
                        + " dead_letters, paused, gap or handoff."
            },
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker status --admin 127.0.0.1:8080")
    static final class Status extends NodeCommand {
        @Override
        public Integer call() throws InterruptedException {
            return show(node.get(PATH), Status::table);
        }

        private static String table(BsonDocument worker) {
            return partitions(worker) + WorkerStatusText.of(worker);
        }

        private static String partitions(BsonDocument worker) {
            var table = TextTable.of(
                    "PARTITION",
                    "INDEX",
                    "TOKEN",
                    "SOURCE",
                    "LOW",
                    "QUEUED",
                    "LAG",
                    "ATTEMPTS",
                    "WAITING",
                    "LAST ERROR");
            for (BsonValue item : worker.getArray("partitions")) {
                var one = item.asDocument();
                table.row(
                        value(one, "partition"),
                        value(one, "index"),
                        value(one, "generation") + "." + value(one, "epoch"),
                        value(one, "source"),
                        value(one, "low"),
                        value(one, "queued"),
                        value(one, "lag"),
                        value(one, "attempts"),
                        value(one, "waiting"),
                        cut(value(one, "lastError"), 60));
            }
            return table.isEmpty() ? "no partitions\n" : table.toString();
        }
    }

    /** Tells the worker to be in another state. */
    abstract static class Change extends NodeCommand {
        private final String verb;

        Change(String verb) {
            this.verb = verb;
        }

        @Override
        public final Integer call() throws InterruptedException {
            return show(
                    node.send("POST", PATH + "/" + verb, ""),
                    answer -> "worker " + value(answer, "worker") + ": " + value(answer, "state") + "\n");
        }
    }

    @Command(
            name = "pause",
            header = "Stop handling messages and keep the partitions.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = "Running handlers finish; nothing else is handled until resume. To hand the partitions to"
                    + " other workers, use drain.",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker pause --admin 127.0.0.1:8080")
    static final class Pause extends Change {
        Pause() {
            super("pause");
        }
    }

    @Command(
            name = "resume",
            header = "Handle messages again after a pause.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description =
                    "Each partition goes on behind the last message it finished. Of no use after drain: restart the"
                            + " process instead.",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker resume --admin 127.0.0.1:8080")
    static final class Resume extends Change {
        Resume() {
            super("resume");
        }
    }

    @Command(
            name = "drain",
            header = "Hand all partitions over to the other workers.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description =
                    "Running handlers finish, then the partitions are released with their cursors. The process stays"
                            + " up until it is stopped; it takes partitions again only after a restart.",
            optionListHeading = "%nOptions:%n",
            footerHeading = "%nFor example:%n",
            footer = "  sluice worker drain --admin 127.0.0.1:8080")
    static final class Drain extends Change {
        Drain() {
            super("drain");
        }
    }
}
