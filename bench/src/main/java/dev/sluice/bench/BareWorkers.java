package dev.sluice.bench;

import io.nats.client.Connection;
import io.nats.client.ConsumeOptions;
import io.nats.client.ConsumerContext;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamManagement;
import io.nats.client.Message;
import io.nats.client.MessageConsumer;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Bare jnats loops: consumers with the configuration of a worker's, endless consumption with overlapping pulls, the message
 * handled and acknowledged on the connection's dispatcher thread. No ownership, no cursors, no order, no retries.
 */
final class BareWorkers implements WorkersUnderTest {
    private static final int MAX_ACK_PENDING = 500;
    private static final int MAX_WAITING = 256;
    private static final Duration ACK_WAIT = Duration.ofSeconds(30);
    private static final Duration INACTIVE_THRESHOLD = Duration.ofMinutes(10);

    private final WorkerProcess.Settings settings;
    private final HandledMessages handled;
    private final List<Connection> connections = new ArrayList<>();
    private final List<MessageConsumer> loops = new ArrayList<>();
    private final List<String> consumers = new ArrayList<>();

    BareWorkers(WorkerProcess.Settings settings, HandledMessages handled) {
        this.settings = settings;
        this.handled = handled;
    }

    @Override
    public void start(String run) throws Exception {
        for (int worker = 0; worker < settings.workers(); worker++) {
            Connection connection =
                    Nats.connect(Options.builder().server(settings.url()).build());
            connections.add(connection);
            Dispatcher dispatcher = connection.createDispatcher();
            List<List<String>> filters = filtersOf(worker);
            for (int k = 0; k < filters.size(); k++) {
                consume(connection, dispatcher, run + "-" + worker + "-" + k, filters.get(k));
            }
        }
    }

    /** Of each consumer of this worker. */
    private List<List<String>> filtersOf(int worker) {
        List<String> owned = settings.shape().filtersOf(worker, settings.workers());
        return settings.perPartition() ? owned.stream().map(List::of).toList() : List.of(owned);
    }

    private void consume(Connection connection, Dispatcher dispatcher, String name, List<String> filters)
            throws Exception {
        ConsumerContext consumer = connection
                .getStreamContext(WorkerShape.STREAM)
                .createOrUpdateConsumer(ConsumerConfiguration.builder()
                        .durable(name)
                        .filterSubjects(filters)
                        .ackPolicy(AckPolicy.Explicit)
                        .ackWait(ACK_WAIT)
                        .maxAckPending(MAX_ACK_PENDING)
                        .maxPullWaiting(MAX_WAITING)
                        .inactiveThreshold(INACTIVE_THRESHOLD)
                        .build());
        consumers.add(name);
        loops.add(consumer.consume(
                ConsumeOptions.builder().batchSize(settings.batch()).build(), dispatcher, this::handle));
    }

    private void handle(Message message) {
        handled.handled(message.getData());
        message.ack();
    }

    @Override
    public void stop() throws Exception {
        loops.forEach(MessageConsumer::stop);
        JetStreamManagement management = connections.getFirst().jetStreamManagement();
        for (String consumer : consumers) {
            management.deleteConsumer(WorkerShape.STREAM, consumer);
        }
        for (Connection connection : connections) {
            connection.close();
        }
        loops.clear();
        consumers.clear();
        connections.clear();
    }
}
