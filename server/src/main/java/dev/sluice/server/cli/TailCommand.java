package dev.sluice.server.cli;

import dev.sluice.client.ConsumerEndedException;
import dev.sluice.client.ConsumerListener;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.client.MemoryMarkerStore;
import dev.sluice.client.OutOfRangePolicy;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.server.config.yaml.Durations;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice tail}: subscribes to a Puller and prints what arrives. */
@Command(
        name = "tail",
        header = "Print change events as they happen.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description = {
            "Subscribes to a Puller and prints one line per event on standard output, from now on unless told"
                    + " otherwise. It reconnects by itself. Ctrl-C ends it and prints the marker to go on from, on"
                    + " standard error."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = {"  sluice tail --since 10m --collection orders", "  sluice tail --json | jq .document"})
final class TailCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            split = ",",
            defaultValue = "127.0.0.1:50051",
            description = "The Puller; several, separated by commas, are tried in turn. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init")
    private List<String> servers;

    @Option(names = "--after", paramLabel = "MARKER", description = "Go on behind this progress marker.")
    private @Nullable String after;

    @Option(names = "--since", paramLabel = "10m", description = "Begin with what happened so long ago.")
    private @Nullable String since;

    @Option(names = "--coalesce", description = "While far behind, one event per document.")
    private boolean coalesce;

    @Option(names = "--collection", paramLabel = "C", split = ",", description = "Only these collections.")
    private List<String> collections = List.of();

    @Option(names = "--json", description = "One JSON object per line.")
    private boolean json;

    @Option(names = "--limit", paramLabel = "N", description = "End after so many events.")
    private long limit = Long.MAX_VALUE;

    @Mixin
    private NodeAccess access = new NodeAccess();

    @Override
    public Integer call() throws Exception {
        var out = spec.commandLine().getOut();
        var err = spec.commandLine().getErr();
        if (after != null && since != null) {
            throw new ParameterException(spec.commandLine(), "--after and --since both say where to begin; keep one");
        }
        var lines = json ? EventLines.json() : EventLines.readable(System.console() != null);
        var enough = new CountDownLatch(1);
        var printed = new AtomicLong();
        var begin = start();
        var shown = new AtomicReference<>(begin);
        var consumer = consume(err, begin, event -> {
            if (printed.get() >= limit) {
                return;
            }
            if (!isHeartbeat(event)) {
                out.println(lines.of(event));
                out.flush();
                printed.incrementAndGet();
            }
            shown.set(event.getProgress());
            if (printed.get() >= limit) {
                enough.countDown();
            }
        });
        consumer.ended().whenComplete((nothing, failure) -> enough.countDown());
        return UntilStopped.run(
                () -> {
                    enough.await();
                    if (printed.get() < limit) {
                        end(consumer);
                    }
                    return ExitCode.DONE;
                },
                () -> {
                    consumer.close();
                    sayWhereToGoOn(err, shown.get());
                });
    }

    /** Says in a sentence why the consumer gave up. */
    private static void end(EventConsumer consumer) {
        try {
            consumer.awaitEnd();
        } catch (CompletionException gaveUp) {
            var cause = gaveUp.getCause();
            throw cause instanceof ConsumerEndedException ended
                    ? new IllegalStateException(ended.getMessage(), ended)
                    : gaveUp;
        }
    }

    private String start() throws InterruptedException {
        if (after != null) {
            return after;
        }
        if (since == null) {
            return "";
        }
        Instant from;
        try {
            from = Instant.now().minus(Durations.parse(since));
        } catch (IllegalArgumentException notOne) {
            throw new ParameterException(spec.commandLine(), "--since " + since + " " + notOne.getMessage(), notOne);
        }
        return SinceMarker.of(options(), from);
    }

    private EventConsumer consume(PrintWriter err, String start, dev.sluice.client.EventCallback callback) {
        var markers = new MemoryMarkerStore();
        if (!start.isEmpty()) {
            markers.save(start);
        }
        var options = options()
                .collections(collections)
                .markers(markers)
                .heartbeats()
                .json()
                .whenOutOfRange(since == null ? OutOfRangePolicy.STOP : OutOfRangePolicy.FROM_OLDEST)
                .listener(new Connections(err));
        if (coalesce) {
            options.coalesceOnCatchUp();
        }
        return options.start(callback);
    }

    private ConsumerOptions options() {
        var options = EventConsumer.options().label("tail").addresses(servers);
        access.token().ifPresent(options::token);
        if (access.isSecure()) {
            options.tls();
        }
        access.ca().ifPresent(options::tls);
        access.certificate()
                .ifPresent(certificate ->
                        options.certificate(certificate, access.key().orElseThrow()));
        return options;
    }

    static boolean isHeartbeat(Event event) {
        return event.getOperationType().equals("heartbeat");
    }

    private static void sayWhereToGoOn(PrintWriter err, String marker) {
        if (!marker.isEmpty()) {
            err.println("go on with: sluice tail --after " + marker);
            err.flush();
        }
    }

    /** Says when the Puller goes away and comes back, once each. */
    private static final class Connections implements ConsumerListener {
        private final PrintWriter err;
        private boolean lost;

        Connections(PrintWriter err) {
            this.err = err;
        }

        @Override
        public void connected(String address) {
            if (lost) {
                say("connected to " + address + " again");
            }
            lost = false;
        }

        @Override
        public void disconnected(String address, Throwable cause) {
            if (!lost) {
                say(address + " does not answer; trying again until it does");
            }
            lost = true;
        }

        @Override
        public void outOfRange(String message, OutOfRangePolicy policy) {
            if (policy == OutOfRangePolicy.FROM_OLDEST) {
                say("the log does not reach back that far; beginning with its oldest event");
            }
        }

        private void say(String sentence) {
            err.println("sluice: " + sentence);
            err.flush();
        }
    }
}
