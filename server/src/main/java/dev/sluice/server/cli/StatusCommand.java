package dev.sluice.server.cli;

import java.util.concurrent.Callable;
import org.bson.BsonDocument;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice status}: how a running node fares. */
@Command(
        name = "status",
        header = "How a running node fares: health, backends, consumers.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description = "Exit code 1 when the node cannot be asked or is unhealthy.",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = "  sluice status --admin 127.0.0.1:8080")
final class StatusCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Mixin
    private AdminAddress node = new AdminAddress();

    @Option(names = "--json", description = "The node's answer as it is, for machines.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        var body = node.get("/admin/v1/status");
        var status = BsonDocument.parse(body);
        spec.commandLine().getOut().print(json ? body + "\n" : StatusTable.of(status));
        spec.commandLine().getOut().flush();
        return status.getString("status").getValue().equals("unhealthy") ? ExitCode.FAILED : ExitCode.DONE;
    }
}
