package dev.sluice.server.cli;

import static dev.sluice.server.cli.TextTable.value;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice gateways}: who receives events. */
@Command(
        name = "gateways",
        header = "The gateways a Streamer delivers to: list.",
        synopsisHeading = "%nUsage:%n  ",
        customSynopsis = "sluice gateways list [options]",
        commandListHeading = "%nCommands:%n",
        optionListHeading = "%nOptions:%n")
final class GatewaysCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before run()
    private CommandSpec spec;

    static CommandLine create() {
        return new CommandLine(new GatewaysCommand()).addSubcommand(new ListThem());
    }

    /** Reached only when nothing is named. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "name list");
    }

    @Command(
            name = "list",
            header = "Show the gateways, whether they are there, and how much waits for them.",
            synopsisHeading = "%nUsage:%n  ",
            optionListHeading = "%nOptions:%n")
    static final class ListThem extends NodeCommand {
        @Override
        public Integer call() throws InterruptedException {
            return show(node.get("/admin/v1/gateways"), ListThem::table);
        }

        private static String table(BsonDocument answer) {
            var table = TextTable.of("GATEWAY", "STATUS", "FOR", "PROTOCOL", "ENDPOINT", "SUBSCRIPTIONS");
            for (BsonValue item : answer.getArray("gateways")) {
                var one = item.asDocument();
                table.row(
                        value(one, "id"),
                        value(one, "status"),
                        value(one, "secondsLeft", " s"),
                        value(one, "protocol"),
                        value(one, "endpoint"),
                        value(one, "subscriptions"));
            }
            return table.isEmpty() ? "no gateways\n" : table.toString();
        }
    }
}
