package dev.sluice.coordinate;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.simulation.Nemesis;
import dev.sluice.testkit.simulation.Node;
import dev.sluice.testkit.simulation.NodeClockwork;
import dev.sluice.testkit.simulation.Scenario;
import dev.sluice.testkit.simulation.SimulatedClient;
import dev.sluice.testkit.simulation.SimulatedStore;
import dev.sluice.testkit.simulation.Simulation;
import dev.sluice.testkit.simulation.Weather;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Three to five members share a few counters, under everything that may go wrong: pauses, crashes between any two calls,
 * partitions, lost and late requests and answers, a store that is away, members that come and go, users that do not stop when
 * asked, and now and then another number of partitions. The promises of the group are checked after every step.
 */
final class CoordinatedCounters implements Scenario {
    /** What is taken away, to see that it is needed. */
    enum Without {
        NOTHING,
        COMPARE_AND_SET,
        INCARNATION,
        DEADLINE
    }

    static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration TROUBLE = Duration.ofSeconds(30);
    private static final Duration HANDOFF = Duration.ofSeconds(3);

    /** A lease nobody knows of, then one election and one handoff, each with its polls. */
    private static final Duration RECOVERY = LEASE.multipliedBy(2).plus(HANDOFF.multipliedBy(2));

    private static final String GROUP = "sim/counters";

    private final Without without;
    private final Map<String, Long> tally = new TreeMap<>();

    CoordinatedCounters(Without without) {
        this.without = without;
    }

    @Override
    public void play(Simulation simulation) {
        new Play(simulation).play();
    }

    /** How often what has happened in all plays: whether the schedules get to where it hurts. */
    Map<String, Long> tally() {
        return tally;
    }

    private void count(String what, long times) {
        tally.merge(what, times, Long::sum);
    }

    /** That a process owns a partition: while it lives, and says so. */
    private record Belief(Node node, int life, Claim claim) {
        boolean isHeld() {
            return node.isUp() && node.life() == life && claim.isHeld();
        }
    }

    private final class Play {
        private final Simulation simulation;
        private final SimulatedStore store;
        private final Weather weather;
        private final FencedCounters counters = new FencedCounters();
        private final GroupKeys keys = new GroupKeys(GROUP);
        private final Node storeNode;
        private final Node counterNode;
        private final List<Member> members = new ArrayList<>();
        private final int partitions;
        private final List<Group> groups = new ArrayList<>();
        private final List<Belief> beliefs = new ArrayList<>();
        private long incarnations;

        Play(Simulation simulation) {
            this.simulation = simulation;
            this.store = new SimulatedStore(simulation, without != Without.COMPARE_AND_SET);
            this.weather = new Weather(simulation);
            this.storeNode = simulation.node("store", node -> {});
            this.counterNode = simulation.node("counters", node -> {});
            this.partitions = simulation.random().nextInt(2, 7);
            store.onPut(new ClaimHistory(store, keys, counters)::check);
        }

        void play() {
            weather.isBad(0.02, 0.02, LEASE.multipliedBy(2), 0.002);
            int size = simulation.random().nextInt(3, 6);
            for (int i = 0; i < size; i++) {
                members.add(new Member("m" + i));
            }
            simulation.invariant("at most one member believes to own a partition", this::atMostOneBelieves);
            List<Node> victims =
                    new ArrayList<>(members.stream().map(m -> m.node).toList());
            victims.add(storeNode);
            new Nemesis(simulation, victims, Duration.ofSeconds(4), LEASE.multipliedBy(2)).disturbFor(TROUBLE);
            simulation.run(TROUBLE);
            weather.clearsUp();
            simulation.run(RECOVERY);
            everyPartitionHasOneOwner();
            Map<Integer, Long> before = progress();
            simulation.run(Duration.ofSeconds(5));
            everyPartitionHasOneOwner();
            progress().forEach((partition, applied) -> {
                if (applied <= before.getOrDefault(partition, 0L)) {
                    throw new AssertionError("partition " + partition + " stands still although all trouble is over");
                }
            });
            groups.forEach(this::sumUp);
            count("events counted", counters.accepted());
            count("stale events refused", counters.stale());
            count("layouts changed", layout().generation() - 1);
            count("layouts grown in place", layout().grownFrom() > 0 ? 1 : 0);
        }

        private void sumUp(Group group) {
            GroupCounters happened = group.counters();
            if (happened.faults() > 0) {
                throw new AssertionError("a group met " + happened.faults() + " faults");
            }
            count("claims", happened.claims());
            count("releases", happened.releases());
            count("forced handoffs", happened.forcedHandoffs());
            count("losses", happened.losses());
            count("fencing refusals", happened.fencingRefusals());
            count("lives ended", happened.deaths());
            count("rebalances", happened.rebalances());
            count("store failures", happened.storeFailures());
        }

        private boolean isTroubleOver() {
            return simulation.now().compareTo(TROUBLE) >= 0;
        }

        /** Beliefs end for good, so those that have ended need not be looked at again. */
        private boolean atMostOneBelieves() {
            beliefs.removeIf(belief -> !belief.isHeld());
            Set<Integer> believed = new HashSet<>();
            return beliefs.size() < 2
                    || beliefs.stream()
                            .allMatch(belief -> believed.add(belief.claim().partition()));
        }

        private void everyPartitionHasOneOwner() {
            Layout layout = layout();
            if (layout.isDraining()) {
                throw new AssertionError("the layout is still draining");
            }
            Map<Integer, Claim> owned = new HashMap<>();
            members.forEach(member -> member.held().forEach(claim -> owned.put(claim.partition(), claim)));
            for (int partition = 0; partition < layout.partitions(); partition++) {
                Claim claim = owned.get(partition);
                if (claim == null) {
                    throw new AssertionError("partition " + partition
                            + " has no owner although all trouble is over; stored: " + store.list("sim/"));
                }
            }
        }

        private Map<Integer, Long> progress() {
            Layout layout = layout();
            Map<Integer, Long> applied = new HashMap<>();
            for (int partition = 0; partition < layout.partitions(); partition++) {
                applied.put(partition, counters.applied(layout.generation(), partition));
            }
            return applied;
        }

        private Layout layout() {
            return store.get(keys.layout())
                    .map(Layout::of)
                    .orElseThrow(() -> new AssertionError("there is no layout although all trouble is over"));
        }

        private final class Member {
            private final Node node;
            private @Nullable Group group;

            Member(String name) {
                Duration skew = simulation.between(Duration.ofHours(-1), Duration.ofHours(1));
                this.node = simulation.node(name, skew, this::boot);
            }

            private void boot(Node self) {
                join(self);
                if (simulation.chance(0.2)) {
                    self.fiber("operator", () -> leaveAndComeBack(self));
                }
                if (simulation.chance(0.08)) {
                    self.fiber("layout", () -> changeLayout(self));
                }
                if (simulation.chance(0.08)) {
                    self.fiber("growth", () -> grow(self));
                }
            }

            private void join(Node self) {
                String writer = self.name() + '/' + self.life() + '/' + incarnations;
                NodeClockwork clockwork = new NodeClockwork(self, without == Without.DEADLINE ? 20 : 1);
                Supplier<String> names = () -> without == Without.INCARNATION ? "always" : "i" + ++incarnations;
                GroupSettings settings = GroupSettings.of(GROUP, MemberIds.fixed(self.name()), partitions)
                        .withLease(LEASE)
                        .withHandoffTimeout(HANDOFF)
                        .withStabiliser(StabiliserSettings.IMMEDIATE)
                        .withSavePolicy(new SavePolicy(Duration.ofSeconds(2), 3))
                        .withLower(BinaryOperator.minBy(Comparator.comparingLong(CoordinatedCounters::counted)));
                int life = self.life();
                CountingUser user = new CountingUser(simulation, self, counterNode, counters, weather, writer) {
                    @Override
                    public void assigned(Claim claim) {
                        beliefs.add(new Belief(self, life, claim));
                        super.assigned(claim);
                    }
                };
                group = new Group(
                        new SimulatedClient(store, self, storeNode, weather),
                        settings,
                        user,
                        clockwork,
                        self.clock(),
                        names);
                groups.add(group);
                group.begin();
            }

            private void leaveAndComeBack(Node self) {
                self.sleep(simulation.between(Duration.ofSeconds(1), TROUBLE), "operator waits");
                Group leaving = group;
                if (leaving != null && !isTroubleOver()) {
                    leaving.close();
                    self.sleep(simulation.between(Duration.ZERO, HANDOFF), "operator waits");
                    join(self);
                }
            }

            private void changeLayout(Node self) {
                self.sleep(simulation.between(Duration.ofSeconds(5), TROUBLE), "operator waits");
                Group now = group;
                try {
                    if (now != null && !isTroubleOver()) {
                        now.changePartitions(simulation.random().nextInt(1, 8));
                    }
                } catch (InvalidInputException | StoreUnavailableException e) {
                    simulation.note(self.name(), e.getMessage());
                }
            }

            private void grow(Node self) {
                self.sleep(simulation.between(Duration.ofSeconds(2), TROUBLE), "operator waits");
                CoordinationStore client = new SimulatedClient(store, self, storeNode, weather);
                try {
                    if (!isTroubleOver()) {
                        new GroupControl(client, GROUP).grow(simulation.random().nextInt(3, 9));
                    }
                } catch (InvalidInputException | StoreUnavailableException e) {
                    simulation.note(self.name(), e.getMessage());
                }
            }

            List<Claim> held() {
                Group now = group;
                return now == null || !node.isUp() ? List.of() : now.claims();
            }
        }
    }

    /** A counter that nothing was saved of begins at nothing. */
    private static long counted(String position) {
        return position.isEmpty() ? 0 : Long.parseLong(position);
    }
}
