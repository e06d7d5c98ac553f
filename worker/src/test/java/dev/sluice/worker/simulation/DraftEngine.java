package dev.sluice.worker.simulation;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Group;
import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.MemberIds;
import dev.sluice.coordinate.PartitionUser;
import dev.sluice.testkit.simulation.FiberSignal;
import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.NodeClockwork;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.Consumers;
import dev.sluice.worker.stream.Delivery;
import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The handoff as the first draft wanted it, on the same claims: one durable named after the worker, its filters changed in
 * place as partitions come and go, no cursors. It loses and reorders messages, which shows that the simulation finds that.
 */
final class DraftEngine implements SimulatedWorker, PartitionUser, Consumers.Receiver {
    private static final Duration POLL = Duration.ofMillis(500);

    private final Node node;
    private final WorkerWorld world;
    private final MessageStream stream;
    private final Group group;
    private final String writer;
    private final Map<String, Lane> lanes = new TreeMap<>();
    private final FiberSignal changed;
    private List<String> filters = List.of();
    private Consumers.@Nullable Pull pull;
    private boolean stopped;

    DraftEngine(Node node, WorkerWorld world) {
        this.node = node;
        this.world = world;
        this.writer = node.name() + '/' + node.life() + '/' + world.incarnation();
        this.stream = world.jetStream.connect(node);
        this.changed = node.signal("changed");
        GroupSettings settings = GroupSettings.of("draft", MemberIds.fixed(node.name()), world.subjects.size())
                .withLease(world.settings.lease())
                .withHandoffTimeout(world.settings.handoffTimeout())
                .withStabiliser(world.settings.stabiliser());
        node.fiber("consumer", this::follow);
        this.group = Group.start(
                world.storeOf(node), settings, this, new NodeClockwork(node, 1), node.clock(), world::incarnation);
    }

    @Override
    public void assigned(Claim claim) {
        String subject = world.subjects.get(claim.partition());
        Lane lane = new Lane(subject, claim);
        lanes.put(subject, lane);
        node.fiber("lane " + subject, lane::run);
        changed.raise();
    }

    @Override
    public void revoking(Claim claim) {
        lost(claim);
    }

    @Override
    public void lost(Claim claim) {
        Lane lane = lanes.remove(world.subjects.get(claim.partition()));
        if (lane != null) {
            lane.wake.raise();
        }
        changed.raise();
    }

    /** Keeps the durable's filters equal to the owned partitions. */
    private void follow() {
        while (!stopped) {
            List<String> wanted = List.copyOf(lanes.keySet());
            try {
                if (!wanted.isEmpty() && !wanted.equals(filters)) {
                    update(wanted);
                    filters = wanted;
                }
                if (!filters.isEmpty() && pull == null) {
                    pull = stream.consumers().pull(name(), this);
                }
                if (pull != null) {
                    pull.want(world.settings.batch(), 0);
                }
            } catch (StreamUnavailableException | StreamRefusedException e) {
                world.simulation.note(node.name(), e.getMessage());
            }
            changed.await(POLL);
        }
    }

    private void update(List<String> wanted) {
        ConsumerSpec spec = new ConsumerSpec(
                name(),
                wanted,
                0,
                true,
                world.settings.ackWait(),
                world.settings.maxAckPending(),
                world.settings.maxWaiting(),
                null,
                false);
        if (stream.consumers().info(name()).isPresent()) {
            stream.consumers().changeFilters(spec);
        } else {
            stream.consumers().create(spec);
        }
    }

    private String name() {
        return WorkerWorld.PREFIX + "-" + node.name();
    }

    @Override
    public void delivered(Delivery delivery) {
        Lane lane = lanes.get(delivery.subject());
        if (lane != null) {
            lane.queue.add(delivery);
            lane.wake.raise();
        }
    }

    @Override
    public void broken(String reason) {
        pull = null;
        filters = List.of();
        changed.raise();
    }

    @Override
    public int owned() {
        return lanes.size();
    }

    @Override
    public Collection<String> consumers() {
        return List.of(name());
    }

    @Override
    public void close() {
        stopped = true;
        if (pull != null) {
            pull.close();
        }
        group.close();
    }

    /** Handles one partition in the order of its deliveries. */
    private final class Lane {
        private final String subject;
        private final Claim claim;
        private final Deque<Delivery> queue = new ArrayDeque<>();
        private final FiberSignal wake = node.signal("lane");

        Lane(String subject, Claim claim) {
            this.subject = subject;
            this.claim = claim;
        }

        void run() {
            while (!stopped && lanes.get(subject) == this) {
                Delivery next = queue.poll();
                if (next == null) {
                    wake.await(POLL);
                } else if (claim.isHeld()) {
                    handle(next);
                }
            }
        }

        private void handle(Delivery delivery) {
            int attempts = 0;
            while (attempts < world.settings.attempts() && claim.isHeld()) {
                attempts++;
                try {
                    world.handle(node, subject, claim.token(), writer, delivery.sequence(), attempts);
                    delivery.ack();
                    return;
                } catch (RuntimeException e) {
                    node.sleep(world.settings.pauseAfter(attempts), "waits after a failure");
                }
            }
            if (claim.isHeld()) {
                world.ledger.deadLetter(subject, delivery.sequence());
                delivery.ack();
            }
        }
    }
}
