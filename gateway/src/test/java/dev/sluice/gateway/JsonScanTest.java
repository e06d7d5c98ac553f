package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonScanTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "\"a\\u00e9\\n\\\"\"",
                "-0.5e+7",
                "[1,2 , {\"a\":[null,true,false]}]",
                "{\"$numberDouble\":\"NaN\"}",
                "0"
            })
    void jsonIsCutOutAsItStands(String json) {
        JsonScan scan = new JsonScan(" " + json + " ");
        assertThat(scan.raw()).isEqualTo(json);
        scan.end();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[1,]",
                "{\"a\"}",
                "{\"a\":}",
                "{a:1}",
                "'a'",
                "\"a",
                "\"\\x\"",
                "\"\\u12g4\"",
                "01",
                "1.",
                "-",
                "nul",
                "tru",
                "{\"a\":1,}",
                "[1 2]",
                "NaN",
                "\"\u0001\"",
                "1e",
                "{} {}",
                "[]]"
            })
    void whatIsNotJsonIsRefusedInOneSentence(String text) {
        assertThatThrownBy(() -> {
                    JsonScan scan = new JsonScan(text);
                    scan.raw();
                    scan.end();
                })
                .isInstanceOf(InvalidInputException.class)
                .hasMessageStartingWith("not JSON at character ");
    }

    @Test
    void deepNestingIsRefusedAndDoesNotOverflowTheStack() {
        assertThatThrownBy(() -> new JsonScan("[".repeat(1_000_000)).raw())
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("nested deeper than 250 levels");
    }

    @Test
    void textsAreDecoded() {
        assertThat(new JsonScan("\"\\u20ac \\/ \\t\"").string()).isEqualTo("€ / \t");
    }

    /** Random damage to a real body: refused or read, never anything else. */
    @Test
    void aDamagedDeliveryIsRefusedOrReadAndNothingElseHappens() {
        String told = """
                {"subscriptions":[{"id":"s","gatewayId":"g","tenant":"","collection":"c","documentId":null,"filter":"{}",
                "priority":"low","ttl":"300s","failover":true,"transitions":false,"later":1}],"toldBefore":["t"],""";
        String body = told
                + Events.body(Events.event("s", "a", 1), Events.event("s", "b", 2))
                        .substring(1);
        assertThat(BatchJson.read(body).introductions().subscriptions()).hasSize(1);
        Random random = new Random(7);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder damaged = new StringBuilder(body);
            for (int k = random.nextInt(3); k >= 0 && !damaged.isEmpty(); k--) {
                int at = random.nextInt(damaged.length());
                switch (random.nextInt(3)) {
                    case 0 -> damaged.setCharAt(at, "{}[]\",:\\019-nte\u0000é".charAt(random.nextInt(17)));
                    case 1 -> damaged.deleteCharAt(at);
                    default -> damaged.setLength(at + 1);
                }
            }
            try {
                assertThat(BatchJson.read(damaged.toString()).events()).hasSizeBetween(0, 2);
            } catch (InvalidInputException refused) {
                assertThat(refused).hasMessageNotContaining("\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{\"events\":{}}",
                "{}",
                "{\"events\":[{}]}",
                "{\"events\":[{\"subscriptionId\":\"s\",\"event\":{\"id\":\"1\",\"type\":\"explode\"},\"seq\":1}]}",
                "{\"events\":[{\"subscriptionId\":\"s\",\"event\":{\"id\":\"1\",\"type\":\"insert\"},\"seq\":0}]}",
                "{\"events\":[{\"subscriptionId\":\"s\",\"event\":{\"id\":\"1\",\"type\":\"insert\"},\"seq\":1,\"partitionId\":99999999999}]}",
                "{\"events\":[{\"subscriptionId\":\"s\",\"event\":{\"id\":\"1\",\"type\":\"insert\"},\"seq\":1,\"fencingToken\":{\"epoch\":-1}}]}"
            })
    void aDeliveryThatMakesNoSenseIsRefused(String body) {
        assertThatThrownBy(() -> BatchJson.read(body)).isInstanceOf(InvalidInputException.class);
    }
}
