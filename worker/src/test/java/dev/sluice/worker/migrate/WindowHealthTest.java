package dev.sluice.worker.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WindowHealthTest {
    private static final MigrationLimits LIMITS =
            new MigrationLimits(Duration.ofSeconds(1), 1, 1, Duration.ofSeconds(1), 100, 3);

    private final ComparisonScene scene = new ComparisonScene();

    private WindowHealth health() {
        WindowHealth health = new WindowHealth(scene.context, LIMITS);
        health.begin();
        return health;
    }

    private String verdict(WindowHealth health) {
        return health.verdict(scene.lanes, 0);
    }

    @Test
    void redeliveriesAboveTheLimitAreBad() {
        WindowHealth health = health();
        scene.counters.messages.add(1_000);
        scene.counters.redeliveries.add(30);
        assertThat(verdict(health)).isEmpty();
        scene.counters.redeliveries.add(1);
        assertThat(verdict(health)).isEqualTo("31 of 1000 deliveries were redeliveries (max_redelivered 3 %)");
        health.begin();
        scene.counters.messages.add(99);
        scene.counters.redeliveries.add(50);
        assertThat(verdict(health)).as("too few to judge").isEmpty();
    }

    @Test
    void aLagAboveTheLimitIsBad() {
        assertThat(health().verdict(scene.lanes, 100)).isEmpty();
        assertThat(health().verdict(scene.lanes, 101)).isEqualTo("lag is 101 messages (max_lag 100)");
    }

    @Test
    void onlyProblemsThatAreNewAndOfTheModeAreBad() {
        scene.problems.report("gap-1", "old");
        WindowHealth health = health();
        scene.problems.report("stream", "max_consumers");
        scene.problems.report("loop-" + ModeMigration.LOOP + "g", "its own");
        assertThat(verdict(health)).isEmpty();
        scene.problems.report("subject-cap", "too many");
        assertThat(verdict(health)).isEqualTo("new problem: too many");
        scene.problems.clear("subject-cap");
        assertThat(verdict(health)).isEmpty();
    }

    @Test
    void aPartitionThatGetsNothingAlthoughTheStreamHasMessagesForItIsBad() {
        WindowHealth health = health();
        assertThat(verdict(health)).isEmpty();
        assertThat(verdict(health)).as("nothing there").isEmpty();
        long sequence = scene.publish(1);
        assertThat(verdict(health)).as("it has just come").isEmpty();
        assertThat(verdict(health)).contains("partition 1 gets no messages", "the stream has 1");
        scene.take(1, sequence);
        assertThat(verdict(health)).isEmpty();
        assertThat(verdict(health)).isEmpty();
    }
}
