package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deliver.EventType;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
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

    @Test
    void namesThatComeAgainAreReadAsTheyStand() {
        List<String> names = new ArrayList<>();
        String json = """
                {"a":1,"a\\"b":2,"a":3,"a\\\\":4,"a\\\\":5,"":6,"ab":7,"\\u0061":8,"a":9,"aXb":10,"aYb":11,"aXb":12}""";
        JsonScan scan = new JsonScan(json);
        scan.object(name -> {
            names.add(name);
            assertThat(scan.integer()).isEqualTo(names.size());
        });
        scan.end();
        assertThat(names).containsExactly("a", "a\"b", "a", "a\\", "a\\", "", "ab", "a", "a", "aXb", "aYb", "aXb");
    }

    @Test
    void anEventThatComesForManySubscriptionsIsReadAndEncodedOnce() {
        Incoming first = Events.event("s", "a", 1);
        Incoming changed = Events.event("s", "b", 1, first.token(), EventType.UPDATE, Events.id(1));
        String body = Events.body(first, to("t", first), changed, to("u", first), Events.event("s", "a", 2));
        List<Incoming> read = BatchJson.read(body).events();
        assertThat(read).containsExactly(first, to("t", first), changed, to("u", first), Events.event("s", "a", 2));
        AtomicInteger made = new AtomicInteger();
        List<String> derived = read.stream()
                .map(each -> each.event().derived(String.class, event -> made.incrementAndGet() + event.documentId()))
                .toList();
        assertThat(derived).containsExactly("1a", "1a", "2b", "3a", "4a");
    }

    private static Incoming to(String subscription, Incoming sent) {
        String progress = sent.event().progress();
        return new Incoming(
                sent.event().toldTo(subscription).withProgress(progress),
                sent.seq(),
                sent.partition(),
                sent.token(),
                sent.standsFor());
    }

    @Test
    void revisionAndLogAreRead() {
        Incoming one = Events.of(Events.event("s", "a", 1), 7, "shop");
        Incoming other = Events.of(Events.event("s", "a", 2), Long.MAX_VALUE, "shop-2");
        assertThat(BatchJson.read(Events.body(one, other)).events()).containsExactly(one, other);
    }

    @Test
    void tokensAndMarkersThatDifferAreNotTakenForTheOnesBefore() {
        Incoming one = Events.withProgress(Events.event("s", "a", 1, new FencingToken(1, 1)), "ab");
        Incoming longer = Events.withProgress(Events.event("s", "a", 2, new FencingToken(1, 12)), "abc");
        Incoming shorter = Events.withProgress(Events.event("s", "a", 3, new FencingToken(1, 1)), "a");
        assertThat(BatchJson.read(Events.body(one, longer, shorter)).events()).containsExactly(one, longer, shorter);
    }

    /** Random damage to a real body: refused or read, never anything else. */
    @Test
    void aDamagedDeliveryIsRefusedOrReadAndNothingElseHappens() {
        String told = """
                {"subscriptions":[{"id":"s","gatewayId":"g","tenant":"","collection":"c","documentId":null,"filter":"{}",
                "priority":"low","ttl":"300s","failover":true,"transitions":false,"later":1}],"toldBefore":["t"],""";
        String body = told
                + Events.body(Events.event("s", "a", 1), to("t", Events.event("s", "a", 1)), Events.event("s", "b", 2))
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
                assertThat(BatchJson.read(damaged.toString()).events()).hasSizeBetween(0, 3);
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
