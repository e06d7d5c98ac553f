package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.InMemoryCheckpoints;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class OwnCheckpointsTest {
    private final InMemoryCheckpoints store = new InMemoryCheckpoints();
    private ClusterTime oldest = ClusterTime.ZERO;
    private boolean empty = true;

    private OwnCheckpoints of(String puller) {
        return new OwnCheckpoints(store, puller, new Past(), () -> empty);
    }

    @Test
    void twoPullersDoNotOverwriteEachOther() {
        of("left").save("shop", at(500));
        of("right").save("shop", at(400));
        assertThat(of("left").load("shop")).contains(at(500));
        assertThat(of("right").load("shop")).contains(at(400));
    }

    @Test
    void aLostDiskUnderANewNameTakesTheLowestPlaceTheSourceStillHas() {
        oldest = ClusterTime.of(300, 0);
        of("long-gone").save("shop", at(200));
        of("left").save("shop", at(500));
        of("right").save("shop", at(400));
        of("right").save("shop2", at(350));
        assertThat(of("new").load("shop")).contains(at(400));
    }

    @Test
    void aPlaceTheSourceForgotIsBetterThanNone() {
        oldest = ClusterTime.of(300, 0);
        of("older").save("shop", at(100));
        of("old").save("shop", at(200));
        assertThat(of("new").load("shop")).as("a gap, and told as one").contains(at(200));
        assertThat(of("new").load("other")).isEmpty();
    }

    @Test
    void aLogThatHasItsOwnPlaceIsNotComparedWithOthers() {
        of("left").save("shop", at(500));
        empty = false;
        assertThat(of("new").load("shop")).isEmpty();
    }

    @Test
    void aKeyOfBeforePullersHadNamesIsFound() {
        store.save("shop", at(500));
        assertThat(of("new").load("shop")).contains(at(500));
    }

    @Test
    void anyNameMakesAKey() {
        of("häuser/1 ".repeat(20)).save("shop", at(500));
        assertThat(store.list().keySet()).allMatch(key -> key.matches("shop@hash-[0-9a-f]+"));
    }

    /** A source of which only the beginning counts. */
    private final class Past implements ChangeSource {
        @Override
        public ChangeCursor open(StartPoint from) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ClusterTime oldest() {
            return oldest;
        }

        @Override
        public void close() {}
    }

    private static Checkpoint at(int seconds) {
        return new Checkpoint(RawBson.of(new BsonDocument("n", new BsonInt32(seconds))), ClusterTime.of(seconds, 1));
    }
}
