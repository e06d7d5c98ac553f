package dev.sluice.worker.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.Partition;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.lane.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WindowHealthTest {
    private static final MigrationLimits LIMITS =
            new MigrationLimits(Duration.ofSeconds(1), 1, 1, Duration.ofSeconds(1), 100, 3);

    private final ComparisonScene scene = new ComparisonScene();

    private WindowHealth health() {
        WindowHealth health = new WindowHealth(
                scene.context, LIMITS, scene.problems.ofConsumers().keySet());
        health.begin();
        return health;
    }

    private String verdict(WindowHealth health) {
        return health.verdict(scene.lanes, 0).text();
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
    void aLagAboveTheLimitIsBadUnlessItGoesBack() {
        WindowHealth health = health();
        assertThat(health.verdict(scene.lanes, 100)).isEqualTo(Verdict.GOOD);
        assertThat(health.verdict(scene.lanes, 101)).isEqualTo(Verdict.bad("lag is 101 messages (max_lag 100)"));
        assertThat(health.verdict(scene.lanes, 300).kind()).isEqualTo(Verdict.Kind.BAD);
        assertThat(health.verdict(scene.lanes, 200).kind()).isEqualTo(Verdict.Kind.NEUTRAL);
        assertThat(health.verdict(scene.lanes, 200).kind()).isEqualTo(Verdict.Kind.BAD);
    }

    @Test
    void onlyProblemsThatAreNewAndOfConsumersAreBad() {
        scene.problems.report("consumer-updates", "old");
        WindowHealth health = health();
        for (String key : List.of("stream", "gap-1", "ack-wait", "cursors", "loop-worker-care-g")) {
            scene.problems.report(key, "not of a consumer mode");
        }
        assertThat(verdict(health)).isEmpty();
        scene.problems.report("loop-worker-feeding-w0", "it fails");
        assertThat(verdict(health)).isEqualTo("new problem: it fails");
        scene.problems.clear("loop-worker-feeding-w0");
        scene.problems.report("subject-cap", "too many");
        assertThat(verdict(health)).isEqualTo("new problem: too many");
        scene.problems.clear("subject-cap");
        scene.problems.clear("consumer-updates");
        assertThat(verdict(health)).isEmpty();
        scene.problems.report("consumer-updates", "old");
        assertThat(verdict(health)).as("it went and came back").isEqualTo("new problem: old");
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

    /** In one window after the other a part of them; one that stalls in every window. */
    @Test
    void ofManyIdlePartitionsSomeAreAskedForInEachWindow() {
        List<Lane> many = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Partition idle = Partition.open(i, "" + i, i == 499 ? "p.0" : "idle." + i);
            many.add(new Lane(idle, new FencingToken(1, 1), Cursor.startingAfter(0, 0), true));
        }
        scene.publish(0);
        WindowHealth health = health();
        assertThat(health.verdict(many, 0)).isEqualTo(Verdict.GOOD);
        int bad = 0;
        for (int window = 0; window < 6; window++) {
            int before = scene.model.calls("last of").size();
            Verdict verdict = health.verdict(many, 0);
            bad = verdict.isGood() ? 0 : bad + 1;
            assertThat(scene.model.calls("last of").size() - before).isLessThanOrEqualTo(201);
        }
        assertThat(bad).isGreaterThanOrEqualTo(2);
    }
}
