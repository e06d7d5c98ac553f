package dev.sluice.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.EventId;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class DeliveryBodyTest {
    @Test
    void itIsWhatGatewaysWereTold() {
        Delivery one = Deliveries.of(1, "s\"1", "d1");
        Delivery many = new Delivery(
                "s2",
                EventType.LEAVE,
                one.event(),
                Long.MAX_VALUE,
                7,
                new FencingToken(3, 4),
                true,
                "",
                Priority.LOW,
                Delivery.Scope.UNKNOWN,
                9,
                List.of("s3", "s\"4"));
        assertThat(text(one, many))
                .isEqualTo("{\"events\":["
                        + "{\"subscriptionId\":\"s\\\"1\",\"event\":{\"id\":\"9-1-0000000000000001\",\"type\":\"insert\","
                        + "\"tenant\":\"acme\",\"collection\":\"orders\",\"documentId\":\"d1\","
                        + "\"document\":{\"_id\": \"d1\"},\"updateDescription\":null,"
                        + "\"timestamp\":1700000000000,\"lookup\":false},"
                        + "\"seq\":1,\"partitionId\":5,\"fencingToken\":{\"generation\":1,\"epoch\":2},"
                        + "\"redelivery\":false,\"progress\":\"m\",\"log\":\"main\"},"
                        + "{\"subscriptionId\":\"s2\",\"event\":{\"id\":\"9-1-0000000000000001\",\"type\":\"leave\","
                        + "\"tenant\":\"acme\",\"collection\":\"orders\",\"documentId\":\"d1\","
                        + "\"document\":{\"_id\": \"d1\"},\"updateDescription\":null,"
                        + "\"timestamp\":1700000000000,\"lookup\":false},"
                        + "\"seq\":9223372036854775807,\"partitionId\":7,\"fencingToken\":{\"generation\":3,\"epoch\":4},"
                        + "\"redelivery\":true,\"progress\":\"\",\"revision\":9,\"log\":\"main\",\"representative\":true,\"priority\":\"low\",\"except\":[\"s3\",\"s\\\"4\"]}],"
                        + "\"perEventRetries\":true}");
    }

    @Test
    void whatAGatewayIsToldStandsBeforeTheEvents() {
        Subscription whole = new Subscription(
                "s\"1",
                "g1",
                "acme",
                "orders",
                Optional.of("d1"),
                "{\"a\": \"ö\"}",
                Priority.HIGH,
                Duration.ofSeconds(60),
                Optional.empty(),
                true,
                false);
        DeliveryBody body = DeliveryBody.of(
                new DeliveryBatch("gw", List.of(), new Introductions(List.of(whole, whole), List.of("s2", "s\\3"))));
        String told = "{\"id\":\"s\\\"1\",\"gatewayId\":\"g1\",\"tenant\":\"acme\",\"collection\":\"orders\","
                + "\"documentId\":\"d1\",\"filter\":\"{\\\"a\\\": \\\"ö\\\"}\",\"priority\":\"high\",\"ttl\":\"60s\","
                + "\"failover\":true,\"transitions\":false}";
        assertThat(new String(body.bytes(), StandardCharsets.UTF_8))
                .isEqualTo("{\"subscriptions\":[" + told + "," + told
                        + "],\"toldBefore\":[\"s2\",\"s\\\\3\"],\"events\":[],\"perEventRetries\":true}");
    }

    @Test
    void howFarPartitionsHaveGotStandsBeforeTheEvents() {
        ProgressMarker marker = new ProgressMarker(Map.of("main", EventId.parse("9-1-0000000000000001")));
        DeliveryBody body = DeliveryBody.of(new DeliveryBatch(
                "gw",
                List.of(),
                Introductions.NONE,
                List.of(
                        new Passed(3, 16, 5, marker, 77, List.of("s1", "s\"2")),
                        new Passed(3, 16, 6, ProgressMarker.NOWHERE, 78, List.of()))));
        assertThat(new String(body.bytes(), StandardCharsets.UTF_8))
                .isEqualTo("{\"passed\":["
                        + "{\"generation\":3,\"partitions\":16,\"partitionId\":5,\"marker\":\"" + marker.encode()
                        + "\",\"revision\":77,\"except\":[\"s1\",\"s\\\"2\"]},"
                        + "{\"generation\":3,\"partitions\":16,\"partitionId\":6,\"marker\":\"eyJwIjp7fX0\","
                        + "\"revision\":78,\"except\":[]}],\"events\":[],\"perEventRetries\":true}");
    }

    @Test
    void aProbeHasNoEvents() {
        assertThat(text()).isEqualTo("{\"events\":[],\"perEventRetries\":true}");
    }

    @Test
    void whereNobodyAnswersNothingIsSaidOfAnswers() {
        DeliveryBody body = DeliveryBody.unanswered(new DeliveryBatch("gw", List.of()));
        assertThat(new String(body.bytes(), StandardCharsets.UTF_8)).isEqualTo("{\"events\":[]}");
    }

    @Test
    @SuppressWarnings("ReferenceEquality") // The same array is what is promised.
    void thePiecesAreTheWholeAndLargeEventsAreNotCopied() {
        List<Delivery> all = new ArrayList<>();
        for (int n = 1; n <= 200; n++) {
            all.add(Deliveries.of(n, "s", "d" + n, n % 50 == 0 ? 100_000 : n * 7));
        }
        DeliveryBody body = DeliveryBody.of(new DeliveryBatch("gw", all));
        assertThat(body.pieces().stream().mapToLong(piece -> piece.length).sum())
                .isEqualTo(body.length());
        assertThat(body.bytes()).hasSize((int) body.length());
        assertThat(BsonDocument.parse(new String(body.bytes(), StandardCharsets.UTF_8))
                        .getArray("events"))
                .hasSize(200);
        Delivery large = all.get(49);
        assertThat(body.pieces())
                .anyMatch(piece -> piece == large.event().json(large.type()))
                .hasSizeLessThan(20);
    }

    private static String text(Delivery... deliveries) {
        DeliveryBody body = DeliveryBody.of(new DeliveryBatch("gw", List.of(deliveries)));
        return new String(body.bytes(), StandardCharsets.UTF_8);
    }
}
