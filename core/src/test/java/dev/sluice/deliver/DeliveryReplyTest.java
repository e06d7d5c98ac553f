package dev.sluice.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryReplyTest {
    private static BatchOutcome read(String json, int events) {
        return DeliveryReply.read(json.getBytes(StandardCharsets.UTF_8), events);
    }

    @ParameterizedTest
    @ValueSource(strings = {" {\"accepted\":3}", "{\"accepted\":3,\"rejections\":[],\"more\":{\"x\":[1]}}"})
    void whatRejectsNothingHasArrived(String json) {
        assertThat(read(json, 3)).isEqualTo(BatchOutcome.DELIVERED);
    }

    @Test
    void rejectionsAreByPlace() {
        assertThat(read("{\"accepted\":1,\"rejections\":[{\"index\":2,\"reason\":\"no\"},{\"index\":0}]}", 3))
                .isEqualTo(new BatchOutcome.PerEvent(List.of(
                        new EventOutcome.Rejected(""), EventOutcome.DELIVERED, new EventOutcome.Rejected("no"))));
    }

    @Test
    void whatIsWantedLaterIsByPlaceToo() {
        assertThat(read(
                        "{\"accepted\":1,\"rejections\":[{\"index\":0,\"reason\":\"no\"}],\"retries\":[{\"index\":1,\"reason\":\"busy\"},"
                                + "{\"index\":2,\"broke\":true}]}",
                        4))
                .isEqualTo(new BatchOutcome.PerEvent(List.of(
                        new EventOutcome.Rejected("no"),
                        new EventOutcome.RetryLater("busy"),
                        new EventOutcome.RetryLater("", true),
                        EventOutcome.DELIVERED)));
        assertThat(read("{\"retry\":\"it throws\",\"broke\":true}", 1))
                .isEqualTo(new BatchOutcome.RetryLater("it throws", Optional.empty(), true));
    }

    /** Row 16 of issue 12: a status of 200 is no acknowledgement, the counts are. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"error\":\"no such route\"}",
                "{\"accepted\":3}",
                "{\"accepted\":6}",
                "{\"accepted\":-1,\"rejections\":[]}",
                "{\"accepted\":\"5\"}",
                "{\"rejections\":[]}",
                "{\"accepted\":5,\"rejections\":[{\"index\":0}]}",
                "{\"accepted\":3,\"rejections\":[{\"index\":0},{\"index\":0}]}",
                "{\"accepted\":3,\"rejections\":[{\"index\":0}],\"retries\":[{\"index\":0}]}",
                "{\"accepted\":4,\"unknown\":[0]}",
                "{\"accepted\":4,\"rejections\":[{\"index\":0}],\"unknown\":[0]}"
            })
    void anAnswerThatDoesNotAccountForEveryEventIsTriedLater(String json) {
        assertThat(read(json, 5))
                .isInstanceOfSatisfying(
                        BatchOutcome.RetryLater.class,
                        later -> assertThat(later.eventMayBeToBlame()).isFalse());
    }

    @Test
    void theReasonSaysWhatDoesNotAddUp() {
        assertThat(read("{\"accepted\":3,\"rejections\":[{\"index\":1}]}", 5))
                .isEqualTo(new BatchOutcome.RetryLater("the gateway's answer makes no sense:"
                        + " it accepts 3 events and names 1 others, but 5 were sent"));
    }

    @Test
    void eventsThatNobodyHoldsAreAmongThoseAccepted() {
        assertThat(read("{\"accepted\":2,\"unknown\":[1]}", 2))
                .isEqualTo(new BatchOutcome.PerEvent(List.of(EventOutcome.DELIVERED, EventOutcome.NOT_HELD)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"accepted\":0}", "{\"accepted\":0,\"rejections\":[]}"})
    void aProbeIsAcceptedWithNothingInIt(String json) {
        assertThat(read(json, 0)).isEqualTo(BatchOutcome.DELIVERED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"error\":\"no such route\"}"})
    void aProbeThatSomethingElseAnswersHasNotArrived(String json) {
        assertThat(read(json, 0)).isInstanceOf(BatchOutcome.RetryLater.class);
    }

    @Test
    void theOtherAnswersAreToldByTheirWord() {
        assertThat(read("{\"fenced\":\"old\"}", 1)).isEqualTo(new BatchOutcome.Fenced("old"));
        assertThat(read("{\"refused\":\"large\"}", 1)).isEqualTo(new BatchOutcome.Refused("large"));
        assertThat(read("{\"retry\":\"busy\"}", 1)).isEqualTo(new BatchOutcome.RetryLater("busy"));
        assertThat(read("{\"retry\":\"busy\",\"retryAfter\":5}", 1))
                .isEqualTo(new BatchOutcome.RetryLater("busy", Optional.of(Duration.ofSeconds(5))));
        assertThat(read("{\"retry\":\"busy\",\"retryAfter\":1e18}", 1))
                .as("an hour at most")
                .isEqualTo(new BatchOutcome.RetryLater("busy", Optional.of(Duration.ofHours(1))));
    }

    @Test
    void reasonsAreKeptShortAndOnOneLine() {
        BatchOutcome outcome = read("{\"fenced\":\"a\\n\\tb" + "c".repeat(5000) + "\"}", 1);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        BatchOutcome.Fenced.class,
                        fenced -> assertThat(fenced.reason()).startsWith("a b").hasSizeLessThan(500));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ok",
                "null",
                "[]",
                "{",
                "{\"rejections\":{}}",
                "{\"rejections\":[1]}",
                "{\"rejections\":[{}]}",
                "{\"rejections\":[{\"index\":3}]}",
                "{\"rejections\":[{\"index\":-1}]}",
                "{\"rejections\":[{\"index\":4294967296}]}",
                "{\"rejections\":[{\"index\":\"0\"}]}",
                "{\"retries\":1}",
                "{\"retries\":[{\"index\":3}]}",
                "{\"retries\":[{\"index\":0,\"broke\":\"yes\"}]}"
            })
    void whatMakesNoSenseIsTriedLater(String json) {
        assertThat(read(json, 3)).isInstanceOf(BatchOutcome.RetryLater.class);
    }

    @Test
    void whatIsTooDeepOrTooLongIsNotRead() {
        assertThat(read("{\"a\":".repeat(100_000), 3)).isInstanceOf(BatchOutcome.RetryLater.class);
        assertThat(read("{\"a\":" + "[".repeat(100_000), 3)).isInstanceOf(BatchOutcome.RetryLater.class);
        assertThat(read("{\"a\":\"" + "x".repeat(2 << 20) + "\"}", 3)).isInstanceOf(BatchOutcome.RetryLater.class);
    }
}
