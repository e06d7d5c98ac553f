package dev.sluice.server.demo;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.StreamMessage;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PublishOptions;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.api.SubjectTransform;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes the demo's events to a JetStream stream, and counts them there with a worker of eight partitions. */
final class EventWorker implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventWorker.class);
    private static final String STREAM = "SHOP";
    private static final int PARTITIONS = 8;
    private static final long STREAM_BYTES = 64L << 20;
    private static final Duration SERVER_START = Duration.ofSeconds(10);
    private static final WorkerSettings SETTINGS = WorkerSettings.DEFAULT.with(settings -> {
        settings.onGap = WorkerSettings.OnGap.CONTINUE;
        settings.stabiliser = StabiliserSettings.IMMEDIATE;
    });

    private final AtomicLong handled = new AtomicLong();
    private final NatsProcess server;
    private final Connection nats;
    private final JetStream stream;
    private final Worker worker;

    private EventWorker(NatsProcess server, Connection nats) throws IOException, JetStreamApiException {
        this.server = server;
        this.nats = nats;
        nats.jetStreamManagement().addStream(configuration());
        this.stream = nats.jetStream();
        this.worker = Worker.builder(nats).stream(STREAM)
                .prefix("demo")
                .partitions(Partitions.hashed("shop", PARTITIONS))
                .handler(this::count)
                .settings(SETTINGS)
                .start();
    }

    /** Starts a server of its own, in this directory, and the worker. */
    static EventWorker start(Path program, Path data) throws IOException, JetStreamApiException, InterruptedException {
        NatsProcess server = NatsProcess.start(program, data, FreePort.from(4222));
        try {
            Connection nats = connect(server);
            try {
                return new EventWorker(server, nats);
            } catch (IOException | JetStreamApiException | RuntimeException failed) {
                nats.close();
                throw failed;
            }
        } catch (IOException | JetStreamApiException | InterruptedException | RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    /** The server takes a moment until it accepts connections. */
    private static Connection connect(NatsProcess server) throws IOException, InterruptedException {
        Options options = Options.builder()
                .server(server.url())
                .maxReconnects(-1)
                .reportNoResponders()
                .errorListener(new ErrorListener() {})
                .build();
        long deadline = System.nanoTime() + SERVER_START.toNanos();
        while (true) {
            try {
                return Nats.connect(options);
            } catch (IOException notYet) {
                if (System.nanoTime() - deadline > 0) {
                    throw notYet;
                }
                Thread.sleep(50);
            }
        }
    }

    private static StreamConfiguration configuration() {
        return StreamConfiguration.builder()
                .name(STREAM)
                .subjects("shop.*")
                .maxBytes(STREAM_BYTES)
                .subjectTransform(new SubjectTransform(
                        "shop.*", "shop." + PARTITIONS + ".{{partition(" + PARTITIONS + ",1)}}.{{wildcard(1)}}"))
                .build();
    }

    /** Neither waits for the acknowledgement nor throws: the rest of the demo goes on when NATS does not answer. */
    void publish(Event event) {
        if (event.getDocumentId().isEmpty()) {
            return;
        }
        String subject = "shop." + event.getDocumentId().replaceAll("[^A-Za-z0-9_-]", "_");
        try {
            stream.publishAsync(
                    subject,
                    event.toByteArray(),
                    PublishOptions.builder().messageId(event.getId()).build());
        } catch (RuntimeException noConnection) {
            log.warn("the demo's event {} is not published to NATS", event.getId(), noConnection);
        }
    }

    private Outcome count(MessageContext context, StreamMessage message) {
        handled.incrementAndGet();
        return Outcome.done();
    }

    long handled() {
        return handled.get();
    }

    String introduction() {
        return server.url() + ": a worker handles the stream " + STREAM + ", " + PARTITIONS + " partitions";
    }

    @Override
    public void close() throws IOException, InterruptedException {
        try {
            worker.close();
            nats.close();
        } finally {
            server.close();
        }
    }
}
