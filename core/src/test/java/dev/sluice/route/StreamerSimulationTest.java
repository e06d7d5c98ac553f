package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Nothing is lost, nothing is reordered, no position runs ahead, whatever happens; by seed. A failing seed is printed and
 * replays with {@code -Dsluice.seed=…}; {@code -Dsluice.schedules=…} plays more of them.
 */
class StreamerSimulationTest {
    private static final int SCHEDULES = Integer.getInteger("sluice.schedules", 400);

    @Test
    void whateverHappensNothingIsLostOrReorderedAndNoPositionRunsAhead() {
        Long only = Long.getLong("sluice.seed");
        long start = System.nanoTime();
        long crashes = 0;
        long delivered = 0;
        for (long seed = only == null ? 0 : only; seed < (only == null ? SCHEDULES : only + 1); seed++) {
            try {
                StreamerWorld world = new StreamerWorld(seed);
                world.live(120);
                world.heal();
                world.check();
                crashes += world.crashes;
                delivered += world.gateways.values().stream()
                        .mapToLong(each -> each.taken.size())
                        .sum();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        System.out.printf(
                "%d schedules, %d crashes, %d deliveries in %d ms%n",
                SCHEDULES, crashes, delivered, (System.nanoTime() - start) / 1_000_000);
        assertThat(delivered).isPositive();
    }
}
