package dev.sluice.server.cli;

import dev.sluice.devmongo.DevMongo;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice devmongo}: the development MongoDB alone, until it is interrupted. */
@Command(
        name = "devmongo",
        header = "Start a MongoDB for development: in memory, on loopback.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description =
                "Speaks the MongoDB wire protocol, change streams included. It is not a database: everything is gone"
                        + " when it ends. Ctrl-C ends it.",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = "  sluice devmongo --port 27018")
final class DevMongoCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "27017",
            description = "Where to listen; 0 takes any free port. Default: ${DEFAULT-VALUE}.")
    private int port;

    @Override
    public Integer call() throws Exception {
        var server = DevMongo.builder().port(port).start();
        try {
            return UntilStopped.run(() -> serve(server), server::close);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.DONE;
        }
    }

    /** Says the address only now that a signal would be noticed. */
    private int serve(DevMongo server) throws InterruptedException {
        spec.commandLine().getOut().println(server.connectionString());
        new CountDownLatch(1).await();
        return ExitCode.DONE;
    }
}
