package dev.sluice.worker.chaos;

import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.MessageContext;
import dev.sluice.worker.MessageHandler;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.partition.Partitions;
import dev.sluice.worker.stream.NatsMessageStream;
import dev.sluice.worker.stream.StreamMessage;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.PublishOptions;
import io.nats.client.api.RetentionPolicy;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A stream of numbered messages, and workers of it in this JVM, each with a connection of its own. */
final class LocalWorkers implements AutoCloseable {
    static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

    final String stream;
    final HandlingLedger ledger = new HandlingLedger();
    final List<Worker> workers = new CopyOnWriteArrayList<>();
    private final Map<Worker, RecordedStream> streams = new ConcurrentHashMap<>();
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final String url;
    private final Connection publisher;
    private final int partitions;
    private final long[] published;

    LocalWorkers(NatsServer server, String name, int partitions, RetentionPolicy retention) throws Exception {
        this.url = server.url();
        this.stream = name;
        this.partitions = partitions;
        this.published = new long[partitions];
        this.publisher = connect();
        publisher
                .jetStreamManagement()
                .addStream(StreamConfiguration.builder()
                        .name(name)
                        .subjects(name + ".*")
                        .retentionPolicy(retention)
                        .maxConsumers(10_000)
                        .build());
    }

    /** Settings that act within tenths of a second. */
    static WorkerSettings quick() {
        return WorkerSettings.DEFAULT.with(draft -> {
            draft.stabiliser =
                    new StabiliserSettings(Duration.ofMillis(200), Duration.ofMillis(200), Duration.ofMillis(100));
            draft.minUpdateInterval = Duration.ofMillis(200);
            draft.backoff = List.of(Duration.ofMillis(20));
        });
    }

    Worker start(String name, Consumer<WorkerSettings.Draft> change) throws Exception {
        return start(name, change, Partitions.list(subjects()), handler(name));
    }

    Worker start(String name, Consumer<WorkerSettings.Draft> change, Partitions divided, MessageHandler handler)
            throws Exception {
        Connection connection = connect();
        RecordedStream recorded = new RecordedStream(new NatsMessageStream(connection, stream, REQUEST_TIMEOUT));
        Worker worker = Worker.builder(connection).stream(stream)
                .prefix(stream)
                .partitions(divided)
                .handler(handler)
                .settings(quick().with(change))
                .messageStream(recorded)
                .start();
        workers.add(worker);
        streams.put(worker, recorded);
        return worker;
    }

    /** The stream as this worker sees it. */
    RecordedStream recorded(Worker worker) {
        return streams.get(worker);
    }

    /** Writes each message to the ledger; a refused one is tried again. */
    MessageHandler handler(String name) {
        return (context, message) -> handle(name, context, message);
    }

    private Outcome handle(String name, MessageContext context, StreamMessage message) {
        boolean accepted = ledger.handled(
                System.nanoTime(),
                name,
                ChaosArguments.partition(context.subject()),
                ChaosArguments.number(message.data()),
                message.sequence(),
                context.token(),
                context.attempt());
        return accepted ? Outcome.done() : Outcome.retry("stale token");
    }

    List<String> subjects() {
        return IntStream.range(0, partitions).mapToObj(this::subject).toList();
    }

    String subject(int partition) {
        return stream + '.' + partition;
    }

    /** So many more messages for each partition. */
    synchronized void publish(int each) {
        for (int k = 0; k < each; k++) {
            for (int partition = 0; partition < partitions; partition++) {
                publishTo(partition);
            }
        }
    }

    private void publishTo(int partition) {
        long number = ++published[partition];
        // Under one id, so that a message whose acknowledgement was lost with its server is stored once.
        PublishOptions once =
                PublishOptions.builder().messageId(partition + "-" + number).build();
        await().atMost(SOON)
                .pollDelay(Duration.ZERO)
                .ignoreException(IOException.class)
                .until(() -> {
                    publisher.jetStream().publish(subject(partition), ChaosArguments.body(number), once);
                    return true;
                });
        ledger.published(partition, number);
    }

    void awaitHandled() {
        await().atMost(SOON).until(() -> ledger.missing() == 0);
    }

    /** Until every partition is on a durable consumer of one of these workers. */
    void awaitSettled(int count) {
        await().atMost(SOON).until(() -> isSettled(count));
    }

    boolean isSettled(int count) {
        return workers.size() == count
                && workers.stream()
                                .flatMap(worker -> worker.status().lanes().stream())
                                .filter(lane -> lane.source() == LaneStatus.Source.DURABLE)
                                .count()
                        == partitions
                && consumers().size() == Math.min(count, partitions);
    }

    /** The names of all consumers of the stream. */
    List<String> consumers() {
        try {
            return publisher.jetStreamManagement().getConsumerNames(stream);
        } catch (IOException | JetStreamApiException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Deletes all consumers of the stream, as an operator or an inactive threshold does. */
    void deleteConsumers() throws IOException, JetStreamApiException {
        for (String name : consumers()) {
            publisher.jetStreamManagement().deleteConsumer(stream, name);
        }
    }

    /** Asks it to leave. */
    void stop(Worker worker) {
        workers.remove(worker);
        worker.close();
    }

    private Connection connect() throws Exception {
        // A loaded machine may need more than one try.
        Connection connection = Nats.connectReconnectOnConnect(Options.builder()
                .server(url)
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(100))
                .connectionTimeout(Duration.ofSeconds(10))
                .errorListener(new ErrorListener() {})
                .build());
        connections.add(connection);
        return connection;
    }

    @Override
    public void close() throws Exception {
        for (Worker worker : workers) {
            worker.close();
        }
        publisher.jetStreamManagement().deleteStream(stream);
        for (Connection connection : connections) {
            connection.close();
        }
    }
}
