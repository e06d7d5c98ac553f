package dev.sluice.coordinate;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.NodeClockwork;
import dev.sluice.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A few groups on the store in memory and on virtual time, for tests that say themselves what happens when. */
final class GroupStage {
    static final String GROUP = "stage/group";
    static final Duration LEASE = Duration.ofSeconds(10);
    static final Duration HANDOFF = Duration.ofSeconds(3);

    final Simulation simulation;
    final InMemoryCoordinationStore store;
    final GroupKeys keys = new GroupKeys(GROUP);
    private final int partitions;
    private final List<Member> members = new ArrayList<>();
    private int incarnations;

    private GroupStage(Simulation simulation, int partitions) {
        this.simulation = simulation;
        this.partitions = partitions;
        this.store = new InMemoryCoordinationStore(simulation.clock()::nanos);
    }

    static void play(int partitions, Consumer<GroupStage> test) {
        Simulation.replay(1, simulation -> test.accept(new GroupStage(simulation, partitions)));
    }

    Member member(String id) {
        return member(id, MemberIds.fixed(id), settings -> settings);
    }

    Member member(String node, MemberIds ids, UnaryOperator<GroupSettings> change) {
        GroupSettings settings = GroupSettings.of(GROUP, ids, partitions)
                .withLease(LEASE)
                .withHandoffTimeout(HANDOFF)
                .withStabiliser(StabiliserSettings.IMMEDIATE)
                .withLower(BinaryOperator.minBy(String::compareTo));
        Member member = new Member(node, change.apply(settings));
        members.add(member);
        return member;
    }

    void run(Duration time) {
        simulation.run(time);
        for (Member member : members) {
            if (member.group.counters().faults() > 0) {
                throw new AssertionError(member.node + " met a fault");
            }
        }
    }

    /** Long enough for any handoff or takeover. */
    void settle() {
        run(LEASE.multipliedBy(2));
    }

    void away(boolean isAway) {
        members.forEach(member -> member.store.away(isAway));
    }

    ClaimRecord claim(long generation, int partition) {
        return ClaimRecord.of(store.get(keys.claim(generation, partition)).orElseThrow());
    }

    /** Process and user in one: does nothing with its partitions but remember what it was told. */
    final class Member implements PartitionUser {
        final MeteredStore store = new MeteredStore(GroupStage.this.store.anotherClient());
        final Node node;
        final Map<Integer, Claim> claims = new TreeMap<>();
        final List<String> told = new ArrayList<>();
        Group group;
        Consumer<Claim> onAssigned = claim -> {};
        Consumer<Claim> onRevoking = claim -> {};

        @SuppressWarnings("NullAway") // the node starts at once, and its start makes the group
        Member(String name, GroupSettings settings) {
            this.node = simulation.node(name, self -> {
                claims.clear();
                group = new Group(
                        store, settings, this, new NodeClockwork(self, 1), self.clock(), () -> "i" + ++incarnations);
                group.begin();
            });
        }

        @Override
        public void assigned(Claim claim) {
            told.add("assigned " + claim.partition());
            claims.put(claim.partition(), claim);
            onAssigned.accept(claim);
        }

        @Override
        public void revoking(Claim claim) {
            told.add("revoking " + claim.partition());
            onRevoking.accept(claim);
            claims.remove(claim.partition());
        }

        @Override
        public void lost(Claim claim) {
            told.add("lost " + claim.partition());
            claims.remove(claim.partition());
        }

        List<Integer> held() {
            return group.claims().stream().map(Claim::partition).toList();
        }

        /** Leaves in good order, which takes its time. */
        void leave() {
            node.fiber("leaves", group::close);
        }
    }
}
