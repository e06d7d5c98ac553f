package dev.sluice.server.demo;

import dev.sluice.client.ConsumerListener;
import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.client.FileMarkerStore;
import dev.sluice.client.OutOfRangePolicy;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.server.logging.ServerLogging;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Optional;
import java.util.function.Function;

/**
 * dev MongoDB and an outbox on H2 → Puller → consumer, and → Streamer → gateway → browser, with a shop and its till that write. The dev MongoDB's documents and
 * oplog, the event log, the consumer's marker and what the Streamer keeps stay in the directory: the next start, also after {@code kill -9}, goes on without a gap.
 */
public final class Demo implements AutoCloseable {
    private static final int WRITES_PER_SECOND = 20;
    private static final int PAYMENTS_PER_SECOND = 2;
    private static final String MONGO = "mongodb";
    private static final String NATS = "nats";

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final DemoAddresses addresses;
    private final PrintWriter out;
    private final boolean resumed;
    private final Flow flow;

    private Demo(Path directory, DirectoryLock lock, String version, PrintWriter out, Function<Event, String> form)
            throws IOException {
        opened(lock);
        this.out = out;
        this.addresses = DemoAddresses.choose();
        var marker = directory.resolve("consumer.marker");
        this.resumed = Files.exists(marker);
        try {
            var database = database(directory);
            var config = addresses.config(directory.resolve("log"), database);
            ServerLogging.apply(config.log());
            var mongo = opened(DevelopmentMongo.start(addresses.mongo(), directory.resolve(MONGO)));
            var till = opened(new Till(database, PAYMENTS_PER_SECOND));
            var puller = opened(Node.start(config, EnumSet.of(Role.PULLER, Role.STREAMER, Role.GATEWAY), version));
            awaitCapture(puller);
            this.flow = new Flow(out, puller, form);
            var worker = worker(directory.resolve(NATS));
            introduce(directory, puller, worker);
            opened(EventConsumer.options()
                    .label("demo")
                    .address("127.0.0.1:" + addresses.grpc())
                    .markers(new FileMarkerStore(marker))
                    .start(ConsumerOptions.Start.OLDEST)
                    .json()
                    .whenOutOfRange(OutOfRangePolicy.FROM_OLDEST)
                    .listener(new Aloud())
                    .start(event -> {
                        flow.delivered(event);
                        worker.ifPresent(it -> it.publish(event));
                    }));
            flow.watch(opened(new Shop(mongo.connectionString(), WRITES_PER_SECOND)), till, worker);
            till.open(puller.puller()::wake);
        } catch (IOException | RuntimeException failed) {
            close();
            throw failed;
        }
    }

    /**
     * An H2 that lives in this process; it is closed by us, not when the process is told to stop. It writes at each commit: by
     * default a {@code kill -9} takes the last half second of commits, and the next start tells a gap.
     */
    private static String database(Path directory) {
        return "jdbc:h2:file:" + directory.resolve("outbox").resolve("till").toAbsolutePath()
                + ";DB_CLOSE_ON_EXIT=FALSE;WRITE_DELAY=0";
    }

    /** The worker, if there is a NATS server on the PATH and it starts; the demo needs none. */
    private Optional<EventWorker> worker(Path data) {
        try {
            var program = NatsProcess.onPath();
            return program.isEmpty()
                    ? Optional.empty()
                    : Optional.of(opened(EventWorker.start(program.get(), data.toAbsolutePath())));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (Exception | LinkageError failed) {
            out.println("  no worker  NATS does not start: " + failed.getMessage());
        }
        return Optional.empty();
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    /**
     * @param fresh removes what an earlier demo left in the directory
     * @param form shows an event in a few words
     */
    public static Demo start(
            Path directory, boolean fresh, String version, PrintWriter out, Function<Event, String> form)
            throws IOException {
        DirectoryLock lock = DirectoryLock.take(directory);
        try {
            if (fresh) {
                remove(directory.resolve(MONGO));
                remove(directory.resolve("log"));
                remove(directory.resolve("outbox"));
                remove(directory.resolve("streamer"));
                remove(directory.resolve(NATS));
                remove(directory.resolve("consumer.marker"));
            }
        } catch (IOException | RuntimeException failed) {
            lock.close();
            throw failed;
        }
        return new Demo(directory, lock, version, out, form);
    }

    static void remove(Path path) throws IOException {
        if (Files.exists(path)) {
            try (var found = Files.walk(path)) {
                for (var each : found.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }

    /** So that the first order is seen too. */
    private static void awaitCapture(Node puller) {
        var deadline = System.nanoTime() + 30_000_000_000L;
        while (!isCapturing(puller) && System.nanoTime() - deadline < 0) {
            try {
                Thread.sleep(20);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static boolean isCapturing(Node puller) {
        return puller.puller().backends().stream()
                .allMatch(backend -> backend.capture().status().isHealthy());
    }

    private void introduce(Path directory, Node puller, Optional<EventWorker> worker) {
        var kept = puller.puller().backends().stream()
                .mapToLong(backend -> backend.log().events())
                .sum();
        out.printf(
                """

                  browser    http://127.0.0.1:%d/try?collection=orders   press Subscribe and see changes arrive
                  MongoDB    mongodb://127.0.0.1:%d/?replicaSet=rs0   write to database shop and watch
                  outbox     an H2 database: a till writes a row and a message in one transaction; collection payments
                  worker     %s
                  events     sluice tail --server 127.0.0.1:%d
                  health     http://127.0.0.1:%d/health
                  status     sluice status --admin 127.0.0.1:%d
                  metrics    http://127.0.0.1:%d/metrics
                  data       %s (--fresh begins anew)

                """,
                addresses.gateway(),
                addresses.mongo(),
                worker.map(EventWorker::introduction)
                        .orElse("not shown: it needs a nats-server on the PATH, 2.10 or newer"),
                addresses.grpc(),
                addresses.admin(),
                addresses.admin(),
                addresses.metrics(),
                directory);
        if (resumed) {
            out.printf(standing(puller), kept);
        }
        out.flush();
    }

    /** How the sources stand to what an earlier demo kept; the number of events is to be filled in. */
    private static String standing(Node puller) {
        if (gaps(puller) > 0) {
            return "  gap        the log kept %,d events, but a source no longer fits them: the log above says which one%n"
                    + "             and why, and every consumer is told to read its state again.%n%n";
        }
        return isCapturing(puller)
                ? "  resumed    the log kept %,d events, the consumer its marker, MongoDB its documents and history:%n"
                        + "             everything goes on where it stopped, without a gap.%n%n"
                : "  waiting    the log kept %,d events; a source is not read yet, see health.%n%n";
    }

    private static long gaps(Node puller) {
        return puller.puller().backends().stream()
                .mapToLong(backend -> backend.capture().counters().gapsDetected())
                .sum();
    }

    /** One line; call it once per second. */
    public void tick() {
        flow.line();
    }

    /** Consumer and shop first, then Streamer, gateway and Puller, then their source. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception goOn) {
                out.println("  " + goOn.getMessage());
            }
        }
    }

    /** What a consumer must not overlook, for all to see. */
    private final class Aloud implements ConsumerListener {
        @Override
        public void resync(Event event) {
            out.println("  RESYNC     changes of " + event.getBackend()
                    + " were lost at the source: a real consumer now reads its current state again");
            out.flush();
        }

        @Override
        public void outOfRange(String message, OutOfRangePolicy policy) {
            out.println(
                    "  OUT OF RANGE  the log no longer has what follows the marker: beginning with its oldest event");
            out.flush();
        }
    }
}
