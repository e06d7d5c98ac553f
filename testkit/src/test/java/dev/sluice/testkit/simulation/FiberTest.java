package dev.sluice.testkit.simulation;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FiberTest {

    @Test
    void blockingCodeInterleavesByTheSeedAloneAndAReplayGoesTheSameWay() {
        List<List<String>> runs = new ArrayList<>();
        for (long seed : new long[] {1, 1, 2, 3, 4, 5}) {
            List<String> order = new ArrayList<>();
            Simulation.replay(seed, simulation -> {
                Node node = simulation.node("n", self -> {});
                for (String name : List.of("a", "b", "c")) {
                    node.fiber(name, () -> {
                        for (int i = 0; i < 3; i++) {
                            order.add(name + i);
                            node.sleep(ofMillis(5), "sleeps");
                        }
                    });
                }
                simulation.run(ofSeconds(1));
            });
            runs.add(order);
        }
        assertThat(runs.get(0)).isEqualTo(runs.get(1)).hasSize(9);
        assertThat(runs.stream().distinct()).hasSizeGreaterThan(2);
    }

    @Test
    void aCrashEndsFibersWhereTheyWaitAndTheirFinallyBlocksRun() {
        List<String> happened = new ArrayList<>();
        Simulation.replay(1, simulation -> {
            Node node = simulation.node(
                    "n",
                    self -> self.fiber("life" + self.life(), () -> {
                        try {
                            happened.add("starts " + self.life());
                            self.sleep(ofSeconds(10), "works");
                            happened.add("done " + self.life());
                        } finally {
                            happened.add("unwinds");
                        }
                    }));
            simulation.run(ofSeconds(5));
            node.crash();
            assertThat(happened).containsExactly("starts 1", "unwinds");
            node.restart();
            simulation.run(ofSeconds(30));
        });
        assertThat(happened).containsExactly("starts 1", "unwinds", "starts 2", "done 2", "unwinds");
    }

    @Test
    void aFiberMayCrashItsNodeAndTakesTheOthersWithIt() {
        List<String> happened = new ArrayList<>();
        Simulation.replay(1, simulation -> {
            Node node = simulation.node("n", self -> {});
            node.fiber("victim", () -> {
                node.sleep(ofSeconds(10), "works");
                happened.add("worked");
            });
            node.fiber("culprit", () -> {
                node.sleep(ofSeconds(1), "waits");
                node.mayCrash(1, "the worst moment");
                happened.add("survived");
            });
            simulation.run(ofMillis(1_001));
            assertThat(node.isUp()).isFalse();
            simulation.run(ofSeconds(30));
            assertThat(node.isUp()).isTrue();
        });
        assertThat(happened).isEmpty();
    }

    @Test
    void aPauseHoldsFibersBackWhileTimeGoesOn() {
        List<Long> woke = new ArrayList<>();
        Simulation.replay(1, simulation -> {
            Node node = simulation.node("n", self -> {});
            node.fiber("sleeper", () -> {
                node.sleep(ofSeconds(1), "sleeps");
                woke.add(simulation.now().toSeconds());
            });
            simulation.run(ofMillis(500));
            node.pause();
            simulation.run(ofSeconds(10));
            assertThat(woke).isEmpty();
            node.resume();
            simulation.run(ofSeconds(1));
        });
        assertThat(woke).containsExactly(10L);
    }

    @Test
    void aSignalWakesAtOnceALateOneNotAtAllAndAnEarlyOneIsKept() {
        List<String> woke = new ArrayList<>();
        Simulation.replay(1, simulation -> {
            Node node = simulation.node("n", self -> {});
            FiberSignal signal = node.signal("signal");
            node.fiber("waiter", () -> {
                signal.await(ofSeconds(5));
                woke.add("raised at " + simulation.now().toSeconds());
                signal.await(ofSeconds(5));
                woke.add("over at " + simulation.now().toSeconds());
                node.sleep(ofSeconds(10), "sleeps");
                signal.await(ofSeconds(5));
                woke.add("kept at " + simulation.now().toSeconds());
            });
            simulation.after(ofSeconds(1), "raises", signal::raise);
            simulation.after(ofSeconds(8), "raises", signal::raise);
            simulation.run(ofSeconds(30));
        });
        assertThat(woke).containsExactly("raised at 1", "over at 6", "kept at 16");
    }

    @Test
    void whatAFiberDoesNotCatchFailsTheRun() {
        assertThatThrownBy(() -> Simulation.replay(1, simulation -> {
                    Node node = simulation.node("n", self -> {});
                    node.fiber("buggy", () -> {
                        node.sleep(ofSeconds(1), "sleeps");
                        throw new IllegalStateException("a bug");
                    });
                    simulation.run(ofSeconds(2));
                }))
                .isInstanceOf(SimulationFailure.class)
                .hasMessageContaining("fiber n/buggy failed")
                .hasMessageContaining("a bug");
    }

    @Test
    void onlyAFiberOfTheNodeCanWaitThere() {
        assertThatThrownBy(() -> Simulation.replay(1, simulation -> {
                    Node node = simulation.node("n", self -> {});
                    node.sleep(ofSeconds(1), "sleeps");
                }))
                .hasMessageContaining("Only a fiber of n can wait there, not a plain step");
    }
}
