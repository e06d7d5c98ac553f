package dev.sluice.server.cli;

import dev.sluice.server.demo.Demo;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice demo}: everything on embedded defaults, to look at. */
@Command(
        name = "demo",
        header = "The whole pipeline in one process, with something to see.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description = {
            "Starts a development MongoDB, a small shop that writes to it, its till with an outbox on H2, Puller, Streamer, a gateway and a consumer; needs no"
                    + " other server. With a nats-server on the PATH also a JetStream worker. Changes arrive in a browser, at the address it prints."
                    + " Prints where everything is and one line per second of what flows. Ctrl-C stops it cleanly; the"
                    + " next start goes on with the same event log and consumer."
        },
        optionListHeading = "%nOptions:%n")
final class DemoCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Option(names = "--fresh", description = "Remove what an earlier demo left, first.")
    private boolean fresh;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "data/demo",
            description = "Where MongoDB's data, event log and marker are kept. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @Option(names = "--seconds", paramLabel = "N", description = "End by itself after so long.")
    private long seconds = Long.MAX_VALUE;

    @Override
    public Integer call() throws Exception {
        var out = spec.commandLine().getOut();
        var demo = Demo.start(data, fresh, Sluice.Version.text(), out, EventLines.brief(60)::of);
        var never = new CountDownLatch(1);
        return UntilStopped.run(
                () -> {
                    for (var second = 0L; second < seconds; second++) {
                        never.await(1, TimeUnit.SECONDS);
                        demo.tick();
                    }
                    return ExitCode.DONE;
                },
                () -> {
                    out.println();
                    out.println("  stopping: consumer, shop, Streamer, gateway, Puller, till, MongoDB");
                    out.flush();
                    demo.close();
                    out.println("  stopped; start again to go on from here");
                    out.flush();
                });
    }
}
