package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluice partitions}: how the Streamer's partitions fare, and how many there are. */
@Command(
        name = "partitions",
        header = "The Streamer's partitions: show them, or change how many there are.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice partitions [resize N] [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class PartitionsCommand extends NodeCommand {
    static final String PATH = "/admin/v1/partitions";

    static CommandLine create() {
        return new CommandLine(new PartitionsCommand()).addSubcommand(new Resize());
    }

    @Override
    public Integer call() throws InterruptedException {
        return show(node.get(PATH), PartitionsCommand::table);
    }

    private static String table(BsonDocument answer) {
        var table = TextTable.of("PARTITION", "STATUS", "LAG", "EVENTS/S", "LAST EVENT", "ON THEIR WAY");
        for (BsonValue item : answer.getArray("partitions")) {
            var one = item.asDocument();
            table.row(
                    value(one, "id"),
                    value(one, "status"),
                    value(one, "lagSeconds", " s"),
                    value(one, "eventRate"),
                    value(one, "lastEvent"),
                    value(one, "unacknowledged"));
        }
        var all = value(answer, "count") + " in all, generation " + value(answer, "generation")
                + (answer.getBoolean("changing").getValue() ? ", their number is being changed" : "");
        return (table.isEmpty() ? "this node owns none\n" : table.toString()) + all + "\n" + remark(answer);
    }

    /** A node of an earlier version does not say what is configured. */
    private static String remark(BsonDocument answer) {
        var configured = value(answer, "configured");
        return configured.equals("-") || configured.equals(value(answer, "count"))
                ? ""
                : "  ! routing.num_partitions is " + configured
                        + ", which counts at the first start only; write " + value(answer, "count")
                        + " there, or change the number with: sluice partitions resize " + configured + "\n";
    }

    @Command(
            name = "resize",
            header = "Change the number of partitions, for the whole group.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "All partitions are drained, then the new ones start at the lowest of the old positions: nothing is lost,"
                        + " some events come twice. Set routing.num_partitions to the same number, for nodes that start a"
                        + " new group."
            },
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n")
    static final class Resize extends NodeCommand {
        @Parameters(paramLabel = "N", description = "1 to 256.")
        private int partitions;

        @Override
        public Integer call() throws InterruptedException {
            var body = node.send("PUT", PATH, "{\"partitions\": " + partitions + "}");
            return show(
                    body,
                    answer ->
                            "decided: " + value(answer, "partitions") + " partitions; sluice partitions shows when\n");
        }
    }
}
