package dev.sluice.worker.stream;

import static dev.sluice.worker.stream.StreamScene.catchUp;
import static dev.sluice.worker.stream.StreamScene.durable;
import static dev.sluice.worker.stream.StreamScene.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How JetStream answers pull requests, as far as workers depend on it. */
interface PullFacts extends StreamScene {
    @Test
    default void noMoreIsDeliveredThanWasWanted() {
        limits();
        publish("p.1", 20);
        create(durable("c", "p.1"));
        Received received = awaitCount(receive("c", 3), 3);
        assertThat(received.pull.outstanding()).isZero();
        Received marker = awaitCount(receive("c", 1), 1);
        assertThat(received.deliveries).hasSize(3);
        assertThat(marker.sequences()).containsExactly(4L);
        received.pull.want(6, 0);
        awaitCount(received, 9);
    }

    @Test
    default void whatWasAskedForCountsTowardsWhatIsWanted() {
        limits();
        create(durable("c", "p.1"));
        Received received = receive("c", 10);
        received.pull.want(10, 0);
        received.pull.want(4, 0);
        assertThat(received.pull.outstanding()).isEqualTo(10);
        publish("p.1", 30);
        awaitCount(received, 10);
        Received marker = awaitCount(receive("c", 1), 1);
        assertThat(marker.sequences()).containsExactly(11L);
        assertThat(received.deliveries).hasSize(10);
    }

    @Test
    default void aClosedPullReceivesNothing() {
        limits();
        create(durable("c", "p.1"));
        Received closed = receive("c", 10);
        closed.close();
        consumers().delete("c");
        create(durable("d", "p.1"));
        publish("p.1", 1);
        awaitCount(receive("d", 1), 1);
        assertThat(closed.deliveries).isEmpty();
        assertThat(closed.broken).isEmpty();
    }

    @Test
    default void deletingAConsumerBreaksItsPull() {
        limits();
        create(durable("c", "p.1"));
        Received received = receive("c", 10);
        consumers().delete("c");
        until("broken", () -> !received.broken.isEmpty());
        assertThat(received.pull.outstanding()).isZero();
        received.pull.want(10, 0);
        assertThat(received.broken).hasSize(1);
    }

    @Test
    default void aPullOfAMissingConsumerBreaks() {
        limits();
        Received received = receive("c", 10);
        until("broken", () -> !received.broken.isEmpty());
    }

    /** The only sign of a lost last delivery of a consumer without acknowledgements. */
    @Test
    default void aHeartbeatSaysWhatTheServerHasDelivered() {
        limits();
        create(catchUp("c", 1, "p.1"));
        Received received = receive("c", 10);
        publish("p.1", 3);
        until("the server names delivery 3", () -> received.lastDelivered.contains(3L));
        assertThat(received.lastDelivered).isSorted();
        assertThat(received.sequences()).isEqualTo(upTo(3));
    }
}
