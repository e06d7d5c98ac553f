package dev.sluice.outbox.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.outbox.OutboxMessage;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonPayloadTest {
    private static final Map<String, String> JSON =
            Map.of(OutboxMessage.CONTENT_TYPE, "application/json; charset=utf-8");

    private static BsonValue payload(String text) {
        return JsonPayload.of(bytes(text), JSON);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\": [1, {\"b\": null}]} | {\"v\": {\"a\": [1, {\"b\": null}]}}",
                "[1, 2]                          | {\"v\": [1, 2]}",
                "\"text\"                      | {\"v\": \"text\"}",
                " true                           | {\"v\": true}",
                "-1.5e3                          | {\"v\": -1500.0}",
                "null                            | {\"v\": null}"
            })
    void whatIsJsonIsWhatItSays(String text, String expected) {
        assertThat(new BsonDocument("v", payload(text))).isEqualTo(BsonDocument.parse(expected));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{\"a\": 1} x",
                "{\"a\": 1}, 2",
                "1, 2",
                "1]",
                "], [",
                "]}, {",
                "nonsense",
                "99999999999999999999999",
                "{\"$oid\": \"no\"}"
            })
    void whatOnlySaysSoIsPassedOnAsItsBytes(String text) {
        assertThat(payload(text)).isEqualTo(new BsonBinary(bytes(text)));
    }

    @Test
    void whatIsTooDeepToBeReadByRecursionIsPassedOnAsItsBytes() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        assertThat(payload(deep)).isInstanceOf(BsonBinary.class);
        assertThat(payload("\"" + "[".repeat(1_000) + "\"").isString()).isTrue();
    }

    @Test
    void otherContentIsPassedOnAsItsBytes() {
        assertThat(JsonPayload.of(bytes("{}"), Map.of())).isEqualTo(new BsonBinary(bytes("{}")));
        assertThat(JsonPayload.of(bytes("{}"), Map.of(OutboxMessage.CONTENT_TYPE, "application/cloudevents+json")))
                .isEqualTo(new BsonDocument());
        assertThat(JsonPayload.of(new byte[] {(byte) 0xFF, '1'}, JSON)).isInstanceOf(BsonBinary.class);
    }
}
