package dev.sluice.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.InMemoryCheckpoints;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OwnCheckpointsTest {
    private final InMemoryCheckpoints store = new InMemoryCheckpoints();
    private ClusterTime oldest = ClusterTime.ZERO;
    private boolean oplogIsReadable = true;
    private @Nullable SourceFailure refusal;
    private boolean empty = true;
    private int open;

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

    /** Without the permission, and behind a router, nobody says where the history begins. */
    @Test
    void withoutAReadableOplogAKeyOfALongGonePullerIsNotTakenEither() {
        oplogIsReadable = false;
        aLostDiskUnderANewNameTakesTheLowestPlaceTheSourceStillHas();
    }

    @Test
    void whatElseTheSourceSaysOfAPlaceIsForCaptureToAnswer() {
        of("left").save("shop", at(500));
        of("right").save("shop", at(400));
        refusal = new SourceFailure.TokenUnknown("another filter");
        assertThat(of("new").load("shop")).contains(at(400));
    }

    @Test
    void aSourceThatIsAwayIsAskedAgainLater() {
        of("left").save("shop", at(500));
        refusal = new SourceFailure.Retryable("electing");
        assertThatThrownBy(() -> of("new").load("shop")).isInstanceOf(CheckpointException.class);
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
        public ChangeCursor open(StartPoint from) throws SourceException {
            if (refusal != null) {
                throw new SourceException(refusal);
            }
            if (from instanceof StartPoint.After after
                    && after.checkpoint().time().compareTo(oldest) < 0) {
                throw new SourceException(new SourceFailure.HistoryLost("rolled over"));
            }
            return new Opened();
        }

        @Override
        public ClusterTime oldest() throws SourceException {
            if (!oplogIsReadable) {
                throw new SourceException(new SourceFailure.Misconfigured("not allowed to read the oplog"));
            }
            return oldest;
        }

        @Override
        public void close() {}
    }

    private final class Opened implements ChangeCursor {
        Opened() {
            open++;
        }

        @Override
        public SourceBatch next() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            open--;
        }
    }

    @AfterEach
    void noStreamIsLeftOpen() {
        assertThat(open).isZero();
    }

    private static Checkpoint at(int seconds) {
        return new Checkpoint(RawBson.of(new BsonDocument("n", new BsonInt32(seconds))), ClusterTime.of(seconds, 1));
    }
}
