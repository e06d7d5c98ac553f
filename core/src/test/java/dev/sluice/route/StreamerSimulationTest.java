package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * Nothing is lost, nothing is reordered, no position runs ahead, whatever happens; by seed. A failing seed is printed and
 * replays with {@code -Dsluice.seed=…}; {@code -Dsluice.schedules=…} plays more of them, from {@code -Dsluice.seed.first=…} on, and {@code -Dsluice.match.secret=…}
 * the same ones with matches told in another order.
 */
@Order(1)
class StreamerSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("sluice.schedules", 500);
    private static final int FIRST = Integer.getInteger("sluice.seed.first", 0);
    private static final int AT_LEAST = 500;
    private static final long ENOUGH_NANOS = 10_000_000_000L;

    @Test
    void whateverHappensNothingIsLostOrReorderedAndNoPositionRunsAhead() {
        Long only = Long.getLong("sluice.seed");
        if (only != null) {
            play(only);
            return;
        }
        long start = System.nanoTime();
        long crashes = 0;
        long delivered = 0;
        int seed = FIRST;
        Occurrences occurrences = new Occurrences();
        // On a busy machine five hundred are enough; those that are asked for are played in any case.
        boolean asked = System.getProperty("sluice.schedules") != null;
        while (seed < FIRST + SCHEDULES && (asked || seed < AT_LEAST || System.nanoTime() - start < ENOUGH_NANOS)) {
            StreamerWorld world = play(seed++);
            crashes += world.crashes;
            occurrences.addAll(world.occurrences);
            delivered += world.gateways.values().stream()
                    .mapToLong(each -> each.taken.size())
                    .sum();
        }
        System.out.printf(
                "%d schedules, %d crashes, %d deliveries in %d ms: %s%n",
                seed - FIRST, crashes, delivered, (System.nanoTime() - start) / 1_000_000, occurrences);
        assertThat(delivered).isPositive();
        assertThat(crashes).isPositive();
        assertThat(occurrences.missing()).as("never happened").isEmpty();
    }

    @Test
    void whoReplaysASeedMeetsTheSameWorld() {
        for (long seed = 0; seed < 5; seed++) {
            assertThat(taken(play(seed))).as("seed " + seed).isEqualTo(taken(play(seed)));
        }
    }

    private static List<String> taken(StreamerWorld world) {
        return world.gateways.values().stream()
                .flatMap(gateway -> gateway.taken.stream())
                .map(each -> each.subscriptionId() + each.event().event().id() + each.token() + each.seq())
                .toList();
    }

    private static StreamerWorld play(long seed) {
        try {
            StreamerWorld world = new StreamerWorld(seed);
            world.live(120);
            world.heal();
            world.check();
            return world;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", secret " + System.getProperty("sluice.match.secret") + ": " + e.getMessage(),
                    e);
        }
    }
}
