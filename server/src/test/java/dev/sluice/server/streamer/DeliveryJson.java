package dev.sluice.server.streamer;

import dev.sluice.model.FencingToken;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.Document;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** Reads a delivery as the contract writes it. */
final class DeliveryJson {
    private static final JsonWriterSettings RELAXED =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    private DeliveryJson() {}

    static List<Received> read(String body) {
        return Document.parse(body).getList("events", Document.class).stream()
                .map(DeliveryJson::event)
                .toList();
    }

    private static Received event(Document item) {
        Document event = item.get("event", Document.class);
        Document token = item.get("fencingToken", Document.class);
        Document document = event.get("document", Document.class);
        return new Received(
                item.getString("subscriptionId"),
                event.getString("id"),
                event.getString("documentId"),
                document == null ? "{}" : document.toJson(RELAXED),
                item.getInteger("partitionId"),
                new FencingToken(number(token, "generation"), number(token, "epoch")),
                item.getBoolean("redelivery"));
    }

    private static long number(Document from, String key) {
        return from.get(key, Number.class).longValue();
    }

    static String acknowledgement(int events, GatewayAnswer.Taken taken) {
        return taken.rejected().stream()
                .map(index -> "{\"index\":" + index + ",\"reason\":\"poison\"}")
                .collect(Collectors.joining(
                        ",", "{\"accepted\":" + (events - taken.rejected().size()) + ",\"rejections\":[", "]}"));
    }
}
