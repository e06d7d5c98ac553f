package dev.sluice.server.cli;

import dev.sluice.server.demo.DevelopmentMongo;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice devmongo}: the development MongoDB alone, until it is interrupted. */
@Command(
        name = "devmongo",
        header = "Start a MongoDB for development, on loopback.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description =
                "Speaks the MongoDB wire protocol, change streams included. It is not a database: everything is in memory."
                        + " With --data it keeps documents and oplog, and the next start, also after kill -9, goes on with"
                        + " them. Ctrl-C ends it.",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = "  sluice devmongo --port 27018 --data data/devmongo")
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

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where to keep documents and oplog. Default: nowhere, they are gone when it ends.")
    private @Nullable Path data;

    @Override
    public Integer call() throws Exception {
        var server = DevelopmentMongo.start(port, data);
        try {
            return UntilStopped.run(() -> serve(server), server::close);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.DONE;
        }
    }

    /** Says the address only now that a signal would be noticed. */
    private int serve(DevelopmentMongo server) throws InterruptedException {
        spec.commandLine().getOut().println(server.connectionString());
        new CountDownLatch(1).await();
        return ExitCode.DONE;
    }
}
