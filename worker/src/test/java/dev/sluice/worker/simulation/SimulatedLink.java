package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.testkit.simulation.Weather;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The connection of one life of a simulated process: calls go through the weather, deliveries come in order. */
final class SimulatedLink implements Link {
    private static final Duration FASTEST = Duration.ofMillis(1);
    private static final Duration SLOWEST = Duration.ofMillis(10);

    private final Simulation simulation;
    private final Node node;
    private final int life;
    private final Node server;
    private final Weather weather;
    private final LinkFaults faults;
    private final Deque<Arrival> inbox = new ArrayDeque<>();
    private final List<Runnable> listeners = new ArrayList<>();
    private boolean down;
    private long connection;

    SimulatedLink(Simulation simulation, Node node, Node server, Weather weather, LinkFaults faults) {
        this.simulation = simulation;
        this.node = node;
        this.life = node.life();
        this.server = server;
        this.weather = weather;
        this.faults = faults;
    }

    private record Arrival(String what, Runnable action) {}

    /** The answer of a server: a value, or what it threw. */
    private record Answer<T>(Supplier<T> value) {
        static <T> Answer<T> of(Supplier<T> request) {
            try {
                T result = request.get();
                return new Answer<>(() -> result);
            } catch (RuntimeException e) {
                return new Answer<>(() -> {
                    throw e;
                });
            }
        }
    }

    @Override
    public <T> T call(String what, Supplier<T> atServer) {
        if (down) {
            node.sleep(SLOWEST, "there is no connection");
            throw new StreamUnavailableException("there is no connection", new TimeoutException());
        }
        return weather.tryAsk(node, server, what, () -> Answer.of(atServer))
                .orElseThrow(() -> new StreamUnavailableException("no answer to " + what, new TimeoutException()))
                .value
                .get();
    }

    @Override
    public void send(String what, Runnable atServer) {
        if (!down && !simulation.chance(faults.lostSends)) {
            simulation.after(travel(), node + " " + what, () -> {
                if (server.isUp()) {
                    atServer.run();
                }
            });
        }
    }

    @Override
    public void receive(String what, Runnable atClient) {
        if (isAlive() && !down) {
            inbox.add(new Arrival(what, atClient));
            node.after(travel(), "receives", this::receiveNext);
        }
    }

    /** The oldest, whichever arrives: a connection keeps the order. */
    private void receiveNext() {
        Arrival next = inbox.poll();
        if (next != null) {
            simulation.note(node.name(), next.what);
            next.action.run();
        }
    }

    @Override
    public void later(Duration delay, String what, Runnable atClient) {
        if (isAlive()) {
            node.after(delay, what, atClient);
        }
    }

    @Override
    public boolean losesDelivery() {
        return simulation.chance(faults.lostDeliveries);
    }

    @Override
    public Duration updateDelay() {
        return simulation.chance(faults.slowUpdates)
                ? simulation.between(FASTEST, Duration.ofSeconds(2))
                : Duration.ZERO;
    }

    @Override
    public boolean isConnected(long then) {
        return isAlive() && !down && connection == then;
    }

    @Override
    public long connection() {
        return connection;
    }

    @Override
    public void whenBack(Runnable listener) {
        listeners.add(listener);
    }

    boolean belongsTo(Node client) {
        return node == client && isAlive();
    }

    /** The connection breaks: what was on its way to the client is lost. Calls are cut off by the network. */
    void disconnect() {
        if (!down) {
            down = true;
            inbox.clear();
        }
    }

    void reconnect() {
        if (down && isAlive()) {
            down = false;
            connection++;
            node.after(travel(), "is connected again", () -> listeners.forEach(Runnable::run));
        }
    }

    private boolean isAlive() {
        return node.isUp() && node.life() == life;
    }

    private Duration travel() {
        return simulation.between(FASTEST, SLOWEST);
    }
}
