package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.lane.LaneCounters;
import dev.sluice.lane.LaneStatus;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Priority;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a lane: how far its gateway is behind, how much it holds, why it fell behind. */
class LaneFiguresTest {
    private static final int QUEUE_SIZE = Scene.SMALL.queue().size();

    private final Scene scene = new Scene();
    private final SimulatedGateway gateway = scene.up("g");

    private int held() {
        return scene.lane("g").queued().values().stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    private Duration lag() {
        return scene.lane("g").lag();
    }

    /** Issue 12, row 28: {@code queue_size} is of the gateway, not of each class. */
    @Test
    void allClassesTogetherHoldNoMoreThanTheQueue() {
        for (Priority priority : Priority.values()) {
            scene.subscribe(priority.text(), "g", priority, null);
        }
        gateway.mode = SimulatedGateway.Mode.HUNG;
        List<ChangeEvent> events = scene.changes(100);
        scene.run(2000);
        assertThat(held()).isBetween(QUEUE_SIZE / 2, QUEUE_SIZE);
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        for (Priority priority : Priority.values()) {
            assertThat(Scene.got(gateway, priority.text())).isEqualTo(Scene.ids(events));
        }
    }

    @Test
    void aFloodOfOneClassLeavesRoomForTheOneAboveIt() {
        scene.subscribe("usual", "g");
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.changes(100);
        scene.run(1000);
        scene.subscribe("urgent", "g", Priority.HIGH, null);
        scene.changes(1);
        scene.run(1000);
        assertThat(scene.lane("g").behind())
                .extracting(LaneStatus.Behind::priority)
                .containsExactly(Priority.NORMAL);
        assertThat(scene.lane("g").queued()).containsEntry(Priority.HIGH, 1);
    }

    /** Issue 12, row 29. */
    @Test
    void theLagIsTheAgeOfTheOldestChangeThatIsNotAcknowledged() {
        scene.subscribe("s", "g");
        scene.change("first");
        scene.run(1000);
        assertThat(lag()).as("all is acknowledged").isZero();
        scene.run(Duration.ofHours(1).toMillis());
        gateway.mode = SimulatedGateway.Mode.HUNG;
        scene.change("second");
        scene.run(3000);
        scene.changes(50);
        scene.run(1000);
        assertThat(lag()).as("what waits or is under way").isBetween(Duration.ofSeconds(4), Duration.ofSeconds(5));
        gateway.mode = SimulatedGateway.Mode.WELL;
        scene.run(60_000);
        assertThat(lag()).isZero();
    }

    /** The position is that of a change an hour before: that is not how far the gateway is behind. */
    @Test
    void theLagOfAGatewayThatIsAwayCountsFromTheFirstChangeItMissed() {
        scene.subscribe("s", "g");
        scene.change("first");
        scene.run(Duration.ofHours(1).toMillis());
        scene.streamer.away("g");
        assertThat(lag()).as("it misses nothing yet").isZero();
        scene.change("second");
        scene.run(20_000);
        assertThat(lag()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(21));
        assertThat(scene.streamer.counters().backpressure(new LaneCounters.Backpressure("g", "unreachable")))
                .isEqualTo(1);
        scene.streamer.up(Scene.address("g"));
        scene.run(10_000);
        assertThat(lag()).isZero();
    }
}
