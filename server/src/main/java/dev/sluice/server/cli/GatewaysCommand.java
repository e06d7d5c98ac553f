package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code sluice gateways}: who receives events. */
@Command(
        name = "gateways",
        header = "The gateways a Streamer delivers to: list, remove.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice gateways list|remove [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class GatewaysCommand extends GroupCommand {
    static CommandLine create() {
        return new CommandLine(new GatewaysCommand())
                .addSubcommand(new ListThem())
                .addSubcommand(new Remove());
    }

    @Command(
            name = "list",
            header = "Show the gateways, whether they are there, and why deliveries to them fail.",
            synopsisHeading = "%nUsage:%n  ",
            optionListHeading = "%nOptions:%n")
    static final class ListThem extends NodeCommand {
        @Override
        public Integer call() throws InterruptedException {
            return show(node.get("/admin/v1/gateways"), ListThem::table);
        }

        private static String table(BsonDocument answer) {
            var table = TextTable.of("GATEWAY", "STATUS", "FOR", "PROTOCOL", "ENDPOINT", "SUBSCRIPTIONS", "LAST ERROR");
            for (BsonValue item : answer.getArray("gateways")) {
                var one = item.asDocument();
                table.row(
                        value(one, "id"),
                        value(one, "status"),
                        value(one, "secondsLeft", " s"),
                        value(one, "protocol"),
                        value(one, "endpoint"),
                        value(one, "subscriptions"),
                        value(one, "lastError"));
            }
            return table.isEmpty() ? "no gateways\n" : table.toString();
        }
    }

    @Command(
            name = "remove",
            header = "Forget gateways.",
            synopsisHeading = "%nUsage:%n  ",
            descriptionHeading = "%n",
            description = {
                "Their subscriptions end, except those that allow failover; one that still beats must register again. A"
                        + " Kafka gateway stays until it is removed."
            },
            parameterListHeading = "%nParameters:%n",
            optionListHeading = "%nOptions:%n")
    static final class Remove extends RemoveEach {
        Remove() {
            super("/internal/v1/gateways", "removed");
        }
    }
}
