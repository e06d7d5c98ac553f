package dev.sluice.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class LazyCheckpointsTest {
    private static final Checkpoint PLACE =
            new Checkpoint(RawBson.of(new BsonDocument("n", new BsonInt32(1))), ClusterTime.of(5, 1));

    private boolean away = true;
    private int openings;
    private final LazyCheckpoints lazy = new LazyCheckpoints(this::open);

    private CheckpointStore open() {
        openings++;
        if (away) {
            throw new IllegalStateException("no such host");
        }
        return new InMemoryCheckpoints();
    }

    @Test
    void nothingIsOpenedBeforeItIsNeeded() {
        lazy.close();
        assertThat(openings).isZero();
    }

    @Test
    void aStoreThatCannotBeOpenedIsOneThatCannotBeReachedAndIsTriedAgain() {
        assertThatThrownBy(() -> lazy.load("shop"))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("no such host");
        assertThatThrownBy(() -> lazy.save("shop", PLACE)).isInstanceOf(CheckpointException.class);
        away = false;
        lazy.save("shop", PLACE);
        assertThat(lazy.load("shop")).contains(PLACE);
        assertThat(openings).as("two in vain, then one for good").isEqualTo(3);
    }

    @Test
    void itIsNotOpenedAfterItWasClosed() {
        away = false;
        lazy.close();
        assertThatThrownBy(lazy::list).isInstanceOf(IllegalStateException.class);
        assertThat(openings).isZero();
    }
}
