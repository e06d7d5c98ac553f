package dev.sluice.worker.simulation;

import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.testkit.simulation.Weather;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The model's server as a simulated process, with the connections of all clients and the faults of both. */
final class SimulatedJetStream {
    private static final List<String> CLUSTER = List.of("n1", "n2", "n3");

    final ModelServer server;
    final Node node;
    final LinkFaults faults = new LinkFaults();
    private final Simulation simulation;
    private final Weather weather;
    private final SimulatedTime time;
    private final boolean cluster;
    private final List<SimulatedLink> links = new ArrayList<>();

    @SuppressWarnings("NullAway") // the node's first start comes before the server is made
    SimulatedJetStream(Simulation simulation, Weather weather, Retention retention, boolean cluster) {
        this.simulation = simulation;
        this.weather = weather;
        this.cluster = cluster;
        this.node = simulation.node("nats", self -> {});
        this.time = new SimulatedTime(simulation, node);
        this.server = new ModelServer(time, "S", retention, 0, 0, simulation.chance(0.5));
        if (cluster) {
            server.isLedBy(CLUSTER.get(0));
        }
    }

    /** A connection of the present life of a process. */
    MessageStream connect(Node client) {
        SimulatedLink link = new SimulatedLink(simulation, client, node, weather, faults);
        links.add(link);
        return new ModelStream(server, time, link);
    }

    /** Returns the sequence, or 0 when the server is down. */
    long publish(String subject) {
        return node.isUp() ? server.publish(subject, new byte[0], Map.of()) : 0;
    }

    boolean isKilled() {
        return !node.isUp();
    }

    /** Kills the server (in a cluster: the leader of the consumers) and brings it back after this time. */
    void disturb(Duration lasts) {
        if (cluster) {
            String next = simulation.pick(CLUSTER);
            simulation.note("nats", "consumers are led by " + next);
            server.changeLeader(next, simulation.chance(0.5));
            links.stream().filter(link -> simulation.chance(0.3)).toList().forEach(link -> breakLink(link, lasts));
        } else if (node.isUp()) {
            node.crash();
            links.forEach(SimulatedLink::disconnect);
            simulation.after(lasts, "nats restarts", this::restart);
        }
    }

    private void restart() {
        if (!node.isUp()) {
            node.restart();
            server.restart();
            links.forEach(SimulatedLink::reconnect);
        }
    }

    /** Breaks the connection of one client. */
    void disconnect(Node client, Duration lasts) {
        links.stream().filter(link -> link.belongsTo(client)).toList().forEach(link -> breakLink(link, lasts));
    }

    private void breakLink(SimulatedLink link, Duration lasts) {
        link.disconnect();
        simulation.after(lasts, "a connection is back", () -> {
            if (node.isUp()) {
                link.reconnect();
            }
        });
    }

    /** No more faults. */
    void clearsUp() {
        faults.clear();
        server.hintsLag(false);
        restart();
        links.forEach(SimulatedLink::reconnect);
    }
}
