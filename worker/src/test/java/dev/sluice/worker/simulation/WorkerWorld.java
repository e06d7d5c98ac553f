package dev.sluice.worker.simulation;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.model.FencingToken;
import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.SimulatedClient;
import dev.sluice.testkit.simulation.SimulatedStore;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.testkit.simulation.Weather;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What all workers of one play share: the store, the stream, the ledger, and how bad things are. */
final class WorkerWorld {
    static final String PREFIX = "sim";
    private static final double CHANCE_OF_POISON = 0.02;

    final Simulation simulation;
    final Weather weather;
    final SimulatedStore store;
    final Node storeNode;
    final SimulatedJetStream jetStream;
    final SimulatedLedger ledger = new SimulatedLedger();
    final WorkerSettings settings;
    final List<String> subjects;
    private final Node ledgerNode;
    private final long poison;
    private long incarnations;
    private double failures;

    WorkerWorld(Simulation simulation, Retention retention, ConsumerMode mode) {
        this.simulation = simulation;
        this.weather = new Weather(simulation);
        this.store = new SimulatedStore(simulation, true);
        this.storeNode = simulation.node("store", node -> {});
        this.ledgerNode = simulation.node("ledger", node -> {});
        this.jetStream = new SimulatedJetStream(simulation, weather, retention, simulation.chance(0.5));
        this.subjects = IntStream.range(0, simulation.random().nextInt(3, 9))
                .mapToObj(i -> "p." + i)
                .toList();
        this.poison = simulation.random().nextLong();
        this.settings = settings(mode);
        store.onPut(new CursorChecks(subjects, ledger, simulation::now)::check);
    }

    private static WorkerSettings settings(ConsumerMode mode) {
        return WorkerSettings.DEFAULT.with(draft -> {
            draft.consumers = mode;
            draft.lease = Duration.ofSeconds(5);
            draft.handoffTimeout = Duration.ofSeconds(3);
            draft.ackWait = Duration.ofSeconds(8);
            draft.inactiveThreshold = Duration.ofSeconds(30);
            draft.minUpdateInterval = Duration.ofMillis(500);
            draft.maxAckPending = 32;
            draft.batch = 8;
            draft.maxSingles = 2;
            draft.backoff = List.of(Duration.ofMillis(200), Duration.ofMillis(500));
            draft.stabiliser = StabiliserSettings.IMMEDIATE;
            draft.poolSize = 20;
        });
    }

    SimulatedClient storeOf(Node client) {
        return new SimulatedClient(store, client, storeNode, weather);
    }

    String incarnation() {
        return "%012d".formatted(++incarnations);
    }

    void isBad() {
        weather.isBad(0.01, 0.01, Duration.ofSeconds(12), 0.0005);
        jetStream.faults.lostDeliveries = simulation.chance(0.5) ? 0.01 : 0;
        jetStream.faults.lostSends = 0.01;
        jetStream.faults.slowUpdates = 0.3;
        jetStream.server.hintsLag(true);
        failures = 0.02;
    }

    void clearsUp() {
        weather.clearsUp();
        jetStream.clearsUp();
        failures = 0;
    }

    /** One attempt of a handler, which takes its time, fails now and then, and writes into the ledger. */
    void handle(Node node, String partition, FencingToken token, String writer, long sequence, int attempt) {
        ledger.begins(partition, token, sequence, attempt);
        node.sleep(handlingTime(), "handles " + sequence + " of " + partition);
        if (isPoison(sequence) || simulation.chance(failures)) {
            throw new IllegalStateException("cannot handle " + sequence);
        }
        boolean written = weather.ask(
                node,
                ledgerNode,
                "writes " + sequence + " of " + partition + " under " + token,
                () -> ledger.handle(partition, token, writer, sequence));
        if (!written) {
            throw new IllegalStateException("token " + token + " is stale");
        }
    }

    /** Asks the ledger's process; empty when there was no answer. */
    <T> Optional<T> ask(Node node, String what, Supplier<T> request) {
        return weather.tryAsk(node, ledgerNode, what, request);
    }

    private Duration handlingTime() {
        return failures > 0 && simulation.chance(0.01)
                ? simulation.between(Duration.ofSeconds(1), Duration.ofSeconds(6))
                : simulation.between(Duration.ofMillis(1), Duration.ofMillis(30));
    }

    /** Decided by the sequence alone, so that every attempt fails. */
    private boolean isPoison(long sequence) {
        long mixed = (sequence + poison) * 0x9E3779B97F4A7C15L;
        return (mixed >>> 11) * 0x1.0p-53 < CHANCE_OF_POISON;
    }
}
