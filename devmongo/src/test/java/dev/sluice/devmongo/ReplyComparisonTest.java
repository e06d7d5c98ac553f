package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Consumer;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.junit.jupiter.api.Test;

/** The replay proves something only if a wrong reply is noticed. */
class ReplyComparisonTest {
    private static final BsonDocument REPLY =
            Recording.load("04_update").steps().get(4).reply();

    private static List<String> differencesAfter(Consumer<BsonDocument> change) {
        BsonDocument live = REPLY.clone();
        change.accept(live);
        return new ReplyComparison(new Translation()).differences(REPLY, live);
    }

    private static BsonDocument event(BsonDocument reply) {
        return reply.getDocument("cursor").getArray("nextBatch").get(0).asDocument();
    }

    @Test
    void theRecordedReplyItselfIsAccepted() {
        assertThat(differencesAfter(live -> {})).isEmpty();
    }

    @Test
    void aMissingAnAdditionalAndAMovedFieldAreNoticed() {
        assertThat(differencesAfter(live -> event(live).remove("ns"))).isNotEmpty();
        assertThat(differencesAfter(live -> event(live).append("wallTime", BsonNull.VALUE)))
                .isNotEmpty();
        assertThat(differencesAfter(
                        live -> event(live).append("operationType", event(live).remove("operationType"))))
                .isNotEmpty();
        assertThat(differencesAfter(live -> live.getDocument("cursor").remove("postBatchResumeToken")))
                .isNotEmpty();
    }

    @Test
    void anotherValueOrTypeIsNoticed() {
        assertThat(differencesAfter(live -> event(live).put("operationType", new BsonString("replace"))))
                .isNotEmpty();
        assertThat(differencesAfter(
                        live -> event(live).getDocument("documentKey").put("_id", new BsonInt64(1))))
                .isNotEmpty();
        assertThat(differencesAfter(live -> event(live)
                        .getDocument("updateDescription")
                        .getDocument("updatedFields")
                        .put("a", new BsonInt32(11))))
                .isNotEmpty();
        assertThat(differencesAfter(live -> live.getDocument("cursor").put("id", new BsonInt64(0))))
                .isNotEmpty();
        assertThat(differencesAfter(live -> live.put("ok", BsonBoolean.TRUE))).isNotEmpty();
        assertThat(differencesAfter(live -> live.getDocument("cursor").put("nextBatch", new BsonArray())))
                .isNotEmpty();
    }

    @Test
    void aTokenOfAnotherShapeOrEventIsNoticed() {
        assertThat(differencesAfter(live -> event(live)
                        .put("_id", new BsonDocument("_data", new BsonString("826AF92D00000000022B0229296E04")))))
                .isNotEmpty();
        assertThat(differencesAfter(live -> {
                    String token =
                            event(live).getDocument("_id").getString("_data").getValue();
                    event(live)
                            .put(
                                    "_id",
                                    new BsonDocument("_data", new BsonString(token.replace("2B020004", "2B040004"))));
                }))
                .isNotEmpty();
    }

    @Test
    void oneRecordedTimeMayNotStandForTwoLiveTimes() {
        assertThat(differencesAfter(live -> event(live).put("clusterTime", new BsonTimestamp(1_900_000_000, 1))))
                .isNotEmpty();
    }

    @Test
    void timesInAnotherOrderAreNoticed() {
        Translation translation = new Translation();
        assertThat(translation.pairTime(new BsonTimestamp(5, 1), new BsonTimestamp(100, 1)))
                .isTrue();
        assertThat(translation.pairTime(new BsonTimestamp(5, 2), new BsonTimestamp(99, 1)))
                .isFalse();
    }

    @Test
    void anErrorWithAnotherCodeLabelOrTextIsNoticed() {
        BsonDocument error =
                Recording.load("17_error_invalid_token").steps().get(22).reply();
        for (Consumer<BsonDocument> change : List.<Consumer<BsonDocument>>of(
                live -> live.put("code", new BsonInt32(286)),
                live -> live.put("codeName", new BsonString("Other")),
                live -> live.remove("errorLabels"),
                live -> live.put("errmsg", new BsonString("something else")))) {
            BsonDocument live = error.clone();
            change.accept(live);
            assertThat(new ReplyComparison(new Translation()).differences(error, live))
                    .isNotEmpty();
        }
    }
}
