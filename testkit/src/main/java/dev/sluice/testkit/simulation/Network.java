package dev.sluice.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Carries messages between nodes: each after a random delay (so that they overtake each other), some never, some twice.
 * Between nodes that are cut off from each other nothing passes, neither what is sent nor what is on its way.
 */
public final class Network {

    private record Route(Node from, Node to) {}

    /** Some routes that carry nothing until it is healed. Where two cuts overlap, both must be. */
    public final class Cut {
        private final Set<Route> routes;

        private Cut(Set<Route> routes) {
            this.routes = routes;
            cuts.add(this);
            routes.forEach(route -> simulation.note("network", "cut from " + route.from + " to " + route.to));
        }

        /** Harmless when it is healed already. */
        public void heal() {
            if (cuts.remove(this)) {
                simulation.note("network", "heals a cut");
            }
        }
    }

    private final Simulation simulation;
    private final List<Cut> cuts = new ArrayList<>();
    private Duration shortest = Duration.ofMillis(1);
    private Duration longest = Duration.ofMillis(20);
    private Duration latest = Duration.ZERO;
    private double late;
    private double loss;
    private double duplication;

    Network(Simulation simulation) {
        this.simulation = simulation;
    }

    /** How long a message travels; 1 to 20 ms by default. */
    public Network delays(Duration shortest, Duration longest) {
        this.shortest = shortest;
        this.longest = longest;
        return this;
    }

    /** The chance of a message to be much later than others, up to this; none by default. */
    public Network stragglers(double chance, Duration latest) {
        this.late = chance;
        this.latest = latest;
        return this;
    }

    /** The chance of a message to be lost, and that of one to come twice; none by default. */
    public Network losesAndDuplicates(double loss, double duplication) {
        this.loss = loss;
        this.duplication = duplication;
        return this;
    }

    /** Cuts these two groups off from each other, both ways. */
    public Cut partition(Collection<Node> one, Collection<Node> other) {
        Set<Route> routes = new LinkedHashSet<>();
        for (Node a : one) {
            for (Node b : other) {
                routes.add(new Route(a, b));
                routes.add(new Route(b, a));
            }
        }
        return new Cut(routes);
    }

    /** Cuts one direction only. */
    public Cut block(Node from, Node to) {
        return new Cut(Set.of(new Route(from, to)));
    }

    /** Ends all cuts. */
    public void heal() {
        if (!cuts.isEmpty()) {
            cuts.clear();
            simulation.note("network", "healed");
        }
    }

    public boolean isBlocked(Node from, Node to) {
        Route route = new Route(from, to);
        return cuts.stream().anyMatch(cut -> cut.routes.contains(route));
    }

    void send(Node from, Node to, Object message) {
        int copies = simulation.chance(loss) ? 0 : simulation.chance(duplication) ? 2 : 1;
        if (copies == 0 || isBlocked(from, to)) {
            simulation.note("network", "loses " + from + " → " + to + ": " + message);
            return;
        }
        String what = "gets from " + from + ": " + message;
        for (int i = 0; i < copies; i++) {
            Duration delay = simulation.between(shortest, simulation.chance(late) ? latest : longest);
            simulation.schedule(delay, to, Node.ANY_LIFE, what, () -> arrive(from, to, message));
        }
    }

    private void arrive(Node from, Node to, Object message) {
        if (isBlocked(from, to)) {
            simulation.note("network", "loses that on its way");
        } else {
            to.receive(from, message);
        }
    }
}
