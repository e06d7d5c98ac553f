package dev.sluice.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SimulationTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<String> log = new ArrayList<>();

    @Test
    void timePassesFromEventToEventAndStopsWhereTold() {
        Simulation.replay(1, simulation -> {
            var start = simulation.clock().instant();
            simulation.at(SECOND.multipliedBy(2), "two", () -> log.add("two at " + simulation.now()));
            simulation.after(SECOND, "one", () -> log.add("one at " + simulation.now()));
            simulation.after(SECOND.multipliedBy(4), "four", () -> log.add("four"));
            simulation.run(SECOND.multipliedBy(3));
            assertThat(log).containsExactly("one at PT1S", "two at PT2S");
            assertThat(simulation.now()).isEqualTo(SECOND.multipliedBy(3));
            assertThat(simulation.clock().instant()).isEqualTo(start.plusSeconds(3));
            simulation.run(SECOND);
            assertThat(log).hasSize(3);
        });
    }

    @Test
    void eventsOfTheSameInstantHappenInEveryOrder() {
        Set<String> orders = new HashSet<>();
        Simulation.explore(100, simulation -> {
            StringBuilder order = new StringBuilder();
            for (String name : List.of("a", "b", "c")) {
                simulation.after(SECOND, name, () -> order.append(name));
            }
            simulation.run(SECOND);
            orders.add(order.toString());
        });
        assertThat(orders).hasSize(6);
    }

    @Test
    void aRepeatedStepKeepsItsPace() {
        Simulation.replay(1, simulation -> {
            simulation.node("n", node -> node.every(SECOND, "tick", () -> log.add("node")));
            simulation.every(SECOND, "tick", () -> log.add("world"));
            simulation.run(Duration.ofSeconds(100));
            for (String who : List.of("node", "world")) {
                assertThat(log.stream().filter(who::equals).count()).isBetween(95L, 105L);
            }
        });
    }

    @Test
    void aCrashForgetsPlansAndStateAndARestartBeginsAnew() {
        Simulation.replay(1, simulation -> {
            AtomicInteger durable = new AtomicInteger();
            Node node = simulation.node("n", self -> {
                AtomicInteger inMemory = new AtomicInteger();
                self.every(SECOND, "count", () -> {
                    durable.incrementAndGet();
                    log.add("life " + self.life() + ": " + inMemory.incrementAndGet());
                });
            });
            simulation.run(Duration.ofMillis(2_500));
            node.crash();
            assertThat(node.isUp()).isFalse();
            simulation.run(LONG);
            node.restart();
            simulation.run(Duration.ofMillis(1_500));
            assertThat(log).containsExactly("life 1: 1", "life 1: 2", "life 2: 1");
            assertThat(durable).hasValue(3);
        });
    }

    @Test
    void stepsOfAnEarlierLifeNeverRunInALaterOne() {
        Simulation.replay(1, simulation -> {
            Node node = simulation.node("n", self -> {
                int mine = self.life();
                self.after(SECOND, "step", () -> log.add("life " + mine));
            });
            node.crash();
            node.restart();
            simulation.run(LONG);
            assertThat(log).containsExactly("life 2");
        });
    }

    @Test
    void aPausedNodeDoesNothingWhileTimePassesAndThenAllAtOnce() {
        Simulation.replay(1, simulation -> {
            Node node = simulation.node("n", self -> {
                self.after(SECOND, "one", () -> log.add("one"));
                self.after(SECOND.multipliedBy(2), "two", () -> log.add("two"));
                self.onMessage((from, message) -> log.add("got " + message));
            });
            Node other = simulation.node("o", self -> {});
            node.pause();
            other.send(node, "hello");
            simulation.run(LONG);
            assertThat(log).isEmpty();
            node.resume();
            simulation.run(Duration.ZERO);
            assertThat(log).containsExactlyInAnyOrder("one", "two", "got hello");
        });
    }

    @Test
    void aNodeThatCrashesInsideAStepDoesNotFinishItAndIsStartedAgain() {
        Simulation.replay(1, simulation -> {
            Node node = simulation.node(
                    "n",
                    self -> self.after(SECOND, "step", () -> {
                        log.add("begun");
                        self.mayCrash(self.life() == 1 ? 1 : 0, "the middle");
                        log.add("finished");
                    }));
            simulation.run(Duration.ofMillis(1_000));
            assertThat(log).containsExactly("begun");
            assertThat(node.isUp()).isFalse();
            simulation.run(LONG);
            assertThat(log).containsExactly("begun", "begun", "finished");
        });
    }

    @Test
    void aStepThatOutlivesItsFailuresStillDiesOfACrash() {
        Simulation.replay(1, simulation -> {
            Node other = simulation.node("o", self -> self.onMessage((from, message) -> log.add("got " + message)));
            Node node = simulation.node(
                    "n",
                    self -> self.after(SECOND, "step", () -> {
                        try {
                            self.mayCrash(self.life() == 1 ? 1 : 0, "the middle");
                            log.add("finished");
                        } catch (RuntimeException e) {
                            log.add("survived");
                        } finally {
                            self.send(other, "from life " + self.life() + (self.isUp() ? "" : ", dead"));
                        }
                    }));
            simulation.run(LONG);
            assertThat(node.life()).isEqualTo(2);
            assertThat(log).containsExactly("finished", "got from life 2");
        });
    }

    @Test
    void aStepThatSwallowsItsCrashFailsTheRun() {
        assertThatThrownBy(() -> Simulation.replay(7, simulation -> {
                    simulation.node(
                            "n",
                            self -> self.after(SECOND, "step", () -> {
                                try {
                                    self.mayCrash(1, "the middle");
                                } catch (Throwable swallowed) {
                                    log.add("up: " + self.isUp());
                                }
                            }));
                    simulation.run(LONG);
                }))
                .isInstanceOf(SimulationFailure.class)
                .hasMessageContaining("n swallowed its crash at the middle");
        assertThat(log).containsExactly("up: false");
    }

    @Test
    void messagesAreLateAndOvertakeEachOther() {
        Set<List<String>> orders = new HashSet<>();
        Simulation.explore(50, simulation -> {
            List<String> got = new ArrayList<>();
            Node a = simulation.node("a", self -> {});
            Node b = simulation.node("b", self -> self.onMessage((from, m) -> got.add(from + ":" + m)));
            a.send(b, 1);
            a.send(b, 2);
            assertThat(got).isEmpty();
            simulation.run(SECOND);
            orders.add(got);
        });
        assertThat(orders).containsExactlyInAnyOrder(List.of("a:1", "a:2"), List.of("a:2", "a:1"));
    }

    @Test
    void stragglersComeMuchLaterThanTheOthers() {
        Simulation.replay(1, simulation -> {
            AtomicInteger got = new AtomicInteger();
            Node a = simulation.node("a", self -> {});
            Node b = simulation.node("b", self -> self.onMessage((from, m) -> got.incrementAndGet()));
            simulation.network().stragglers(0.5, LONG);
            sendMany(a, b);
            simulation.run(SECOND);
            assertThat(got.get()).isBetween(400, 600);
            simulation.run(LONG);
            assertThat(got).hasValue(1_000);
        });
    }

    @Test
    void theNetworkLosesAndDuplicatesAsOftenAsTold() {
        Simulation.replay(1, simulation -> {
            AtomicInteger got = new AtomicInteger();
            Node a = simulation.node("a", self -> {});
            Node b = simulation.node("b", self -> self.onMessage((from, m) -> got.incrementAndGet()));
            simulation.network().losesAndDuplicates(1, 0);
            sendMany(a, b);
            simulation.run(SECOND);
            assertThat(got).hasValue(0);
            simulation.network().losesAndDuplicates(0, 1);
            sendMany(a, b);
            simulation.run(SECOND);
            assertThat(got).hasValue(2_000);
            simulation.network().losesAndDuplicates(0.5, 0);
            sendMany(a, b);
            simulation.run(SECOND);
            assertThat(got.get() - 2_000).isBetween(400, 600);
        });
    }

    @Test
    void aPartitionStopsWhatIsSentAndWhatIsOnItsWayUntilHealed() {
        Simulation.replay(1, simulation -> {
            Node a = simulation.node("a", self -> self.onMessage((from, m) -> log.add("a got " + m)));
            Node b = simulation.node("b", self -> self.onMessage((from, m) -> log.add("b got " + m)));
            Node c = simulation.node("c", self -> self.onMessage((from, m) -> log.add("c got " + m)));
            a.send(b, "on its way");
            simulation.network().partition(List.of(a), List.of(b));
            a.send(b, "sent");
            b.send(a, "sent back");
            a.send(c, "aside");
            simulation.run(SECOND);
            assertThat(log).containsExactly("c got aside");
            simulation.network().heal();
            a.send(b, "after");
            simulation.network().block(b, a);
            b.send(a, "one way");
            simulation.run(SECOND);
            assertThat(log).containsExactly("c got aside", "b got after");
        });
    }

    @Test
    void healingOneCutLeavesTheOthers() {
        Simulation.replay(1, simulation -> {
            Node a = simulation.node("a", self -> {});
            Node b = simulation.node("b", self -> {});
            Node c = simulation.node("c", self -> {});
            Network network = simulation.network();
            var first = network.partition(List.of(a), List.of(b, c));
            var second = network.block(a, b);
            first.heal();
            assertThat(network.isBlocked(a, b)).isTrue();
            assertThat(network.isBlocked(b, a)).isFalse();
            assertThat(network.isBlocked(a, c)).isFalse();
            first.heal();
            assertThat(network.isBlocked(a, b)).isTrue();
            second.heal();
            assertThat(network.isBlocked(a, b)).isFalse();
            simulation.after(SECOND, "step", () -> {});
            simulation.run(SECOND);
        });
    }

    @Test
    void aMessageToANodeThatIsDownIsLost() {
        Simulation.replay(1, simulation -> {
            Node a = simulation.node("a", self -> self.every(SECOND, "idle", () -> {}));
            Node b = simulation.node("b", self -> self.onMessage((from, m) -> log.add("life " + self.life())));
            b.crash();
            a.send(b, "x");
            simulation.run(SECOND.multipliedBy(2));
            b.restart();
            a.send(b, "y");
            simulation.run(SECOND);
            assertThat(log).containsExactly("life 2");
        });
    }

    @Test
    void aBrokenInvariantStopsTheRunAtTheStepThatBrokeIt() {
        assertThatThrownBy(() -> Simulation.replay(7, simulation -> {
                    AtomicInteger count = new AtomicInteger();
                    simulation.node("n", self -> self.every(SECOND, "count", count::incrementAndGet));
                    simulation.invariant("less than three", () -> count.get() < 3);
                    simulation.run(LONG);
                }))
                .isInstanceOf(SimulationFailure.class)
                .hasMessageContaining("Seed 7 fails at step 3")
                .hasMessageContaining("\"less than three\"")
                .hasMessageContaining("count");
    }

    @Test
    void aStepThatThrowsFailsTheRunWithItsCause() {
        assertThatThrownBy(() -> Simulation.replay(7, simulation -> {
                    simulation.node(
                            "n",
                            self -> self.after(SECOND, "bad", () -> {
                                throw new IllegalStateException("boom");
                            }));
                    simulation.run(LONG);
                }))
                .hasMessageContaining("boom")
                .hasRootCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void theSameSeedGivesTheSameTraceByteForByteAndAnotherSeedAnother() {
        Scenario scenario = new LeasedCounter(LeasedCounter.Fence.BY_READS_AND_WRITES);
        Set<Long> different = new HashSet<>();
        for (long seed = 0; seed < 20; seed++) {
            Trace first = Simulation.replay(seed, scenario);
            Trace second = Simulation.replay(seed, scenario);
            assertThat(second.toString()).isEqualTo(first.toString()).isNotBlank();
            assertThat(second.fingerprint()).isEqualTo(first.fingerprint());
            different.add(first.fingerprint());
        }
        assertThat(different).hasSize(20);
    }

    @Test
    void aFailureThatDoesNotReplaySaysSo() {
        AtomicInteger plays = new AtomicInteger();
        assertThatThrownBy(() -> Simulation.explore(1, simulation -> {
                    int play = plays.incrementAndGet();
                    simulation.after(SECOND, "step", () -> {});
                    simulation.run(SECOND);
                    assertThat(play).isGreaterThan(1);
                }))
                .hasMessageContaining("A REPLAY WENT ANOTHER WAY");
    }

    @Test
    void mistakesOfTheScenarioAreRefused() {
        assertThatThrownBy(() -> Simulation.explore(1, simulation -> {})).hasMessageContaining("run(");
        assertThatThrownBy(() -> Simulation.explore(1, simulation -> {
                    simulation.node("n", self -> {});
                    simulation.node("n", self -> {});
                }))
                .hasMessageContaining("once");
        assertThatThrownBy(() -> Simulation.explore(1, simulation -> {
                    simulation.node("n", self -> self.every(Duration.ZERO, "spin", () -> {}));
                    simulation.run(SECOND);
                }))
                .hasMessageContaining("does not end");
        assertThatThrownBy(() -> Simulation.explore(1, simulation -> {
                    simulation.run(SECOND);
                    simulation.at(Duration.ZERO, "too late", () -> {});
                }))
                .hasMessageContaining("past");
    }

    @Test
    void theNemesisDisturbsInEveryWayAndLeavesAllMended() {
        Set<String> seen = new HashSet<>();
        Simulation.explore(20, simulation -> {
            List<Node> victims = new ArrayList<>();
            for (String name : List.of("a", "b", "c")) {
                victims.add(simulation.node(name, SECOND, self -> self.every(SECOND, "step", () -> {})));
            }
            new Nemesis(simulation, victims, SECOND, SECOND.multipliedBy(5)).disturbFor(LONG);
            simulation.every(
                    SECOND.dividedBy(10),
                    "watch",
                    () -> victims.forEach(victim -> {
                        seen.add(victim.isUp() ? "up" : "down");
                        seen.add(victim.isPaused() ? "paused" : "running");
                        seen.add(victim.clock().skew().equals(SECOND) ? "exact" : "skewed");
                        seen.add(simulation.network().isBlocked(victims.getFirst(), victim) ? "cut" : "connected");
                    }));
            simulation.run(LONG.plus(SECOND.multipliedBy(6)));
            for (Node victim : victims) {
                assertThat(victim.isUp()).isTrue();
                assertThat(victim.isPaused()).isFalse();
                assertThat(victim.clock().skew()).isEqualTo(SECOND);
                assertThat(simulation.network().isBlocked(victims.getFirst(), victim))
                        .isFalse();
            }
        });
        assertThat(seen).contains("up", "down", "paused", "running", "exact", "skewed", "cut", "connected");
    }

    private static void sendMany(Node from, Node to) {
        for (int i = 0; i < 1_000; i++) {
            from.send(to, i);
        }
    }
}
