package dev.sluice.worker.chaos;

import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.servers.NatsLine;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.StreamMessage;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** A stream with a steady load, and workers of it in this JVM. What it keeps does not grow with the messages. */
final class SoakStage implements AutoCloseable {
    private static final int PARTITIONS = 24;
    private static final int FAULTS_KEPT = 20;
    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(50);
    private static final String STREAM = "SOAK";

    /** A worker and its connection. */
    record Running(SoakStage stage, Worker worker, Connection connection) implements AutoCloseable {
        int owned() {
            return worker.status().lanes().size();
        }

        @Override
        public void close() throws InterruptedException {
            stage.running.remove(this);
            worker.close();
            connection.close();
        }
    }

    private final NatsServer server;
    private final Connection publisher;
    private final Thread load;
    private final List<Running> running = new CopyOnWriteArrayList<>();
    private final long[] last = new long[PARTITIONS];
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong repeated = new AtomicLong();
    private volatile boolean stopped;

    SoakStage(NatsLine line) throws Exception {
        server = NatsServer.startPrivate(line);
        publisher = connect();
        publisher
                .jetStreamManagement()
                .addStream(StreamConfiguration.builder()
                        .name(STREAM)
                        .subjects("soak.*")
                        .maxMessages(1_000_000)
                        .build());
        load = Thread.ofVirtual().name("soak-load").start(this::publish);
    }

    private Connection connect() throws Exception {
        return Nats.connect(Options.builder()
                .server(server.url())
                .maxReconnects(-1)
                .errorListener(new ErrorListener() {})
                .build());
    }

    private void publish() {
        long number = 0;
        while (!stopped) {
            number++;
            for (int partition = 0; partition < PARTITIONS; partition++) {
                publish("soak." + partition, ChaosArguments.body(number));
            }
            LockSupport.parkNanos(BETWEEN_ROUNDS.toNanos());
        }
    }

    private void publish(String subject, byte[] body) {
        try {
            publisher.jetStream().publish(subject, body);
        } catch (IOException | JetStreamApiException | IllegalStateException e) {
            if (!stopped) {
                fault("not published to " + subject + ": " + e);
            }
        }
    }

    Running start() throws Exception {
        Connection connection = connect();
        List<String> subjects =
                IntStream.range(0, PARTITIONS).mapToObj(k -> "soak." + k).toList();
        Worker worker = Worker.builder(connection).stream(STREAM)
                .prefix("soak")
                .partitions(Partitions.list(subjects))
                .handler(this::handle)
                .settings(LocalWorkers.quick())
                .start();
        Running started = new Running(this, worker, connection);
        running.add(started);
        return started;
    }

    /** Messages of a partition are numbered without a gap: a number above the next one says that some are lost. */
    private Outcome handle(MessageContext context, StreamMessage message) {
        int partition = ChaosArguments.partition(context.subject());
        long number = ChaosArguments.number(message.data());
        synchronized (last) {
            if (number > last[partition] + 1) {
                fault("partition " + partition + ": " + number + " is handled after " + last[partition]);
            }
            if (number <= last[partition]) {
                repeated.incrementAndGet();
            }
            last[partition] = Math.max(last[partition], number);
        }
        handled.incrementAndGet();
        return Outcome.done();
    }

    private void fault(String what) {
        if (faults.size() < FAULTS_KEPT) {
            faults.add(what);
        }
    }

    /** Until so many more messages are handled. */
    void awaitHandled(long more) {
        long enough = handled.get() + more;
        await().atMost(LocalWorkers.SOON).until(() -> handled.get() >= enough);
    }

    /** Until every partition is on the durable consumer of one of so many workers, and there is no other consumer. */
    void awaitSettled(int workers) {
        await().atMost(LocalWorkers.SOON)
                .until(() -> running.size() == workers && joined() == PARTITIONS && consumers() == workers);
    }

    private long joined() {
        return running.stream()
                .flatMap(each -> each.worker().status().lanes().stream())
                .filter(lane -> lane.source() == LaneStatus.Source.DURABLE)
                .count();
    }

    private int consumers() throws IOException, JetStreamApiException {
        return publisher.jetStreamManagement().getConsumerNames(STREAM).size();
    }

    List<String> faults() {
        return List.copyOf(faults);
    }

    long handled() {
        return handled.get();
    }

    long repeated() {
        return repeated.get();
    }

    @Override
    public void close() throws Exception {
        stopped = true;
        load.join();
        for (Running each : running) {
            each.close();
        }
        publisher.close();
        server.close();
    }
}
