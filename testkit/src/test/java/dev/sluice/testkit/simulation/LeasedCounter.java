package dev.sluice.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The example to copy from: clients take turns, by a lease, at raising a counter that lives on another node. Everything
 * waits for the same accident: a client that is paused, or whose messages are late, goes on when its lease has passed to
 * another. Which of the three fences the store has decides whether an update can get lost.
 */
final class LeasedCounter implements Scenario {

    enum Fence {
        /** The store takes every write: the lease alone is trusted. */
        NONE,
        /** The store refuses writes older than the newest write; but the new owner may have read before an old write. */
        BY_WRITES,
        /** The store refuses whatever is older than the newest read or write. */
        BY_READS_AND_WRITES
    }

    /** Orders all operations: the token of the lease, then the attempt under that lease. */
    record Stamp(long token, long attempt) implements Comparable<Stamp> {
        @Override
        public int compareTo(Stamp other) {
            return token != other.token ? Long.compare(token, other.token) : Long.compare(attempt, other.attempt);
        }
    }

    record Acquire(long askedAt) {}

    record Granted(long token, long askedAt) {}

    record Read(Stamp stamp) {}

    record Value(Stamp stamp, long value) {}

    record Write(Stamp stamp, long base) {}

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration STEP = Duration.ofMillis(200);
    private static final Duration TROUBLE = Duration.ofSeconds(15);

    private final Fence fence;

    LeasedCounter(Fence fence) {
        this.fence = fence;
    }

    @Override
    public void play(Simulation simulation) {
        simulation.network().losesAndDuplicates(0.02, 0.02).stragglers(0.02, LEASE.multipliedBy(2));
        Leases leases = new Leases();
        Counter counter = new Counter(fence);
        Node leaseNode = simulation.node("leases", node -> node.onMessage((from, m) -> leases.on(node, from, m)));
        Node counterNode = simulation.node("counter", node -> node.onMessage((from, m) -> counter.on(node, from, m)));
        List<Node> clients = new ArrayList<>();
        for (String name : List.of("anna", "bert", "cleo")) {
            Duration skew = simulation.between(Duration.ofHours(-1), Duration.ofHours(1));
            clients.add(simulation.node(name, skew, node -> {
                Client client = new Client(node, leaseNode, counterNode);
                node.onMessage(client::on);
                node.every(STEP, "step", client::step);
            }));
        }
        simulation.invariant("no update is lost", () -> counter.lost == 0);
        new Nemesis(simulation, clients, Duration.ofSeconds(2), Duration.ofSeconds(6)).disturbFor(TROUBLE);
        simulation.run(TROUBLE);
        long before = counter.value;
        simulation.run(LEASE.multipliedBy(4));
        if (counter.value == before) {
            throw new AssertionError("the counter stands still although all trouble is over");
        }
    }

    /** Durable, and right: one lease at a time, by its own clock, each with a larger token. */
    private static final class Leases {
        private Node owner;
        private long until;
        private long token;

        void on(Node self, Node from, Object message) {
            Acquire acquire = (Acquire) message;
            boolean free = owner == null || self.clock().nanos() - until > 0;
            if (free || Objects.equals(owner, from)) {
                owner = from;
                until = self.clock().nanos() + LEASE.toNanos();
                self.send(from, new Granted(++token, acquire.askedAt));
            }
        }
    }

    /** Durable: the counter and its fence. */
    private static final class Counter {
        private final Fence fence;
        private Stamp newest = new Stamp(0, 0);
        private Stamp written = new Stamp(0, 0);
        private long value;
        private long lost;

        Counter(Fence fence) {
            this.fence = fence;
        }

        void on(Node self, Node from, Object message) {
            switch (message) {
                case Read read -> {
                    if (fence == Fence.BY_READS_AND_WRITES) {
                        if (read.stamp.compareTo(newest) < 0) {
                            return;
                        }
                        newest = read.stamp;
                    }
                    self.send(from, new Value(read.stamp, value));
                }
                case Write write -> {
                    boolean stale = fence != Fence.NONE && write.stamp.compareTo(newest) < 0;
                    if (stale || write.stamp.equals(written)) {
                        return;
                    }
                    newest = write.stamp;
                    written = write.stamp;
                    lost += value == write.base ? 0 : 1;
                    value = write.base + 1;
                }
                default -> throw new IllegalArgumentException(message.toString());
            }
        }
    }

    /** Volatile: made anew by each start of its node. */
    private static final class Client {
        private final Node self;
        private final Node leases;
        private final Node counter;
        private long token;
        private long deadline;
        private long attempt;

        Client(Node self, Node leases, Node counter) {
            this.self = self;
            this.leases = leases;
            this.counter = counter;
        }

        void step() {
            if (ownsLease()) {
                self.send(counter, new Read(new Stamp(token, ++attempt)));
                self.mayCrash(0.001, "after the read was sent");
            } else {
                self.send(leases, new Acquire(self.clock().nanos()));
            }
        }

        void on(Node from, Object message) {
            switch (message) {
                case Granted granted -> {
                    if (granted.token > token) {
                        token = granted.token;
                        deadline = granted.askedAt + LEASE.toNanos();
                    }
                }
                case Value value -> {
                    if (ownsLease() && value.stamp.equals(new Stamp(token, attempt))) {
                        self.send(counter, new Write(value.stamp, value.value));
                    }
                }
                default -> throw new IllegalArgumentException(message.toString());
            }
        }

        private boolean ownsLease() {
            return token > 0 && self.clock().nanos() - deadline < 0;
        }
    }
}
