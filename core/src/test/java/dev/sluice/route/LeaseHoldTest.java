package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.Delivery;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A receiver that cannot refuse old tokens is sent nothing that may arrive when its partition has another owner. */
class LeaseHoldTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration FOR_EVER = ChronoUnit.FOREVER.getDuration();

    private final Scene scene = new Scene();
    private final SimulatedGateway topic = scene.gateway("topic");
    private final SimulatedGateway gateway = scene.gateway("gateway");

    private void begin() {
        topic.unfenced = TIMEOUT;
        scene.up("topic");
        scene.up("gateway");
        scene.subscribe("s", "topic");
        scene.subscribe("t", "gateway");
        scene.run(100);
    }

    private List<EventId> got(SimulatedGateway receiver, String subscription) {
        return Scene.taken(receiver, subscription).stream()
                .map(each -> each.event().event().id())
                .toList();
    }

    @Test
    void whatCouldArriveTooLateWaitsForTheRenewalAndHoldsUpNoOtherGateway() {
        begin();
        scene.claim.untilDeadline = TIMEOUT;
        List<ChangeEvent> events = scene.changes(5);
        scene.run(20_000);
        assertThat(topic.attempts).isZero();
        assertThat(got(gateway, "t")).isEqualTo(Scene.ids(events));
        assertThat(scene.lane("topic").lastError())
                .hasValueSatisfying(error -> assertThat(error.reason()).contains("lease"));
        scene.claim.untilDeadline = TIMEOUT.plusMillis(1);
        scene.run(20_000);
        assertThat(got(topic, "s")).isEqualTo(Scene.ids(events));
        assertThat(topic.taken).noneMatch(Delivery::redelivery);
    }

    @Test
    void aBatchThatComesAgainWaitsToo() {
        begin();
        topic.mode = SimulatedGateway.Mode.DOWN;
        List<ChangeEvent> events = scene.changes(8);
        scene.run(200);
        assertThat(topic.attempts).isPositive();
        scene.claim.untilDeadline = Duration.ofSeconds(1);
        topic.mode = SimulatedGateway.Mode.WELL;
        scene.run(20_000);
        assertThat(topic.taken).isEmpty();
        scene.claim.untilDeadline = FOR_EVER;
        scene.run(20_000);
        assertThat(got(topic, "s")).isEqualTo(Scene.ids(events));
    }

    /** Held-back events are sent in full batches, not one event each and all at once. */
    @Test
    void afterTheRenewalNoMoreBatchesAreInFlightThanMayBe() {
        begin();
        for (int k = 0; k < 8; k++) {
            scene.subscribe("s" + k, "topic");
        }
        scene.claim.untilDeadline = TIMEOUT;
        for (int k = 0; k < 30; k++) {
            scene.changes(1);
            scene.run(200);
        }
        scene.claim.untilDeadline = FOR_EVER;
        scene.run(20_000);
        int comesAgainBeside = 1;
        assertThat(topic.mostAtOnce).isBetween(1, scene.settings.lanes().inFlight() + comesAgainBeside);
        assertThat(topic.attempts).isLessThan(topic.taken.size());
    }

    @Test
    void aReceiverThatRefusesOldTokensIsSentEverythingAtOnce() {
        begin();
        scene.claim.untilDeadline = Duration.ofMillis(1);
        List<ChangeEvent> events = scene.changes(20);
        scene.run(2_000);
        assertThat(got(gateway, "t")).isEqualTo(Scene.ids(events));
    }

    @Test
    void whatIsHeldBackWhenThePartitionIsLostComesFromTheNextOwner() {
        begin();
        scene.claim.untilDeadline = TIMEOUT;
        List<ChangeEvent> events = scene.changes(5);
        scene.run(2_000);
        assertThat(topic.attempts).isZero();
        scene.streamer.lost(0, scene.claim.token());
        scene.claim.untilDeadline = FOR_EVER;
        scene.streamer.assigned(scene.claim.take());
        scene.run(10_000);
        assertThat(got(topic, "s")).isEqualTo(Scene.ids(events));
        assertThat(topic.taken).allMatch(each -> each.token().equals(scene.claim.token()));
    }
}
