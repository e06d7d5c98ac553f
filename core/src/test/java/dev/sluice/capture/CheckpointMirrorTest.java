package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import java.time.Duration;
import java.time.Instant;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CheckpointMirrorTest {
    private final FailingCheckpoints store = new FailingCheckpoints();
    private final CaptureState state =
            new CaptureState("orders_db", Duration.ofSeconds(30), () -> Instant.ofEpochSecond(1));
    private @Nullable Checkpoint committed;
    private long nanos = Long.MAX_VALUE - 10;
    private final CheckpointMirror mirror =
            new CheckpointMirror(store, CheckpointPolicy.DEFAULT, () -> committed, state, () -> nanos);

    @Test
    void itCopiesWhatIsCommittedAndNothingElse() {
        store.failing = false;
        mirror.step();
        assertThat(store.list()).isEmpty();
        committed = checkpoint(1);
        nanos += Duration.ofSeconds(2).toNanos();
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(1));
    }

    @Test
    void itSavesAtMostOncePerIntervalUnlessManyEventsCame() {
        store.failing = false;
        committed = checkpoint(1);
        mirror.step();
        committed = checkpoint(2);
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(1));
        state.counters().eventsIngested.addAndGet(1000);
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(2));
    }

    @Test
    void aStoreThatIsAwayIsCountedAndServedWhenItIsBack() {
        committed = checkpoint(1);
        mirror.step();
        assertThat(state.counters().checkpointErrors()).isOne();
        store.failing = false;
        nanos += Duration.ofSeconds(2).toNanos();
        mirror.step();
        assertThat(store.load("orders_db")).contains(checkpoint(1));
        assertThat(state.counters().checkpointsSaved()).isOne();
    }

    private static Checkpoint checkpoint(int n) {
        return new Checkpoint(RawBson.of(new BsonDocument("n", new BsonInt32(n))), new ClusterTime(n));
    }
}
