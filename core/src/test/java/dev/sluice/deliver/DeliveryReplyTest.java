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
    @ValueSource(strings = {"{}", " {\"accepted\":3}", "{\"accepted\":3,\"rejections\":[],\"more\":{\"x\":[1]}}"})
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
                                + "{\"index\":2,\"broke\":true},{\"index\":0,\"broke\":false}]}",
                        4))
                .isEqualTo(new BatchOutcome.PerEvent(List.of(
                        new EventOutcome.RetryLater(""),
                        new EventOutcome.RetryLater("busy"),
                        new EventOutcome.RetryLater("", true),
                        EventOutcome.DELIVERED)));
        assertThat(read("{\"retry\":\"it throws\",\"broke\":true}", 1))
                .isEqualTo(new BatchOutcome.RetryLater("it throws", Optional.empty(), true));
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
