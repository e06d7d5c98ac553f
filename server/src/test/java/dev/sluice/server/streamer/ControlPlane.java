package dev.sluice.server.streamer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.bson.Document;

/** The Streamer's HTTP calls, as a program in any language makes them. */
record ControlPlane(String address) {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    void registerGateway(String id, String protocol, String endpoint) {
        send(
                "PUT",
                "/internal/v1/gateways/" + id,
                "{\"endpoint\":\"%s\",\"protocol\":\"%s\"}".formatted(endpoint, protocol));
    }

    void subscribe(String id, String gateway, String filter) {
        send(
                "POST",
                "/internal/v1/subscriptions",
                new Document("id", id)
                        .append("gatewayId", gateway)
                        .append("collection", "orders")
                        .append("filter", filter)
                        .toJson());
    }

    /** Partitions, gateways and lanes, as JSON. */
    String status() {
        return send("GET", "/admin/v1/status", "");
    }

    /** How many there are. */
    long deadLetterCount() {
        return Document.parse(send("GET", "/admin/v1/dlq?limit=1", ""))
                .get("count", Number.class)
                .longValue();
    }

    /** {@code subscription document@version} of each dead letter, in order. */
    List<String> deadLetters() {
        List<String> found = new ArrayList<>();
        String after = "";
        do {
            Document page = Document.parse(send("GET", "/admin/v1/dlq?limit=1000&after=" + after, ""));
            for (Document letter : page.getList("deadLetters", Document.class)) {
                Document whole = Document.parse(send("GET", "/admin/v1/dlq/" + letter.getString("id"), ""));
                Document event = whole.get("event", Document.class);
                found.add(letter.getString("subscription")
                        + ' '
                        + event.getString("documentId")
                        + '@'
                        + event.get("document", Document.class).getInteger("v"));
            }
            after = page.getString("next");
        } while (!after.isEmpty());
        Collections.sort(found);
        return found;
    }

    private String send(String method, String path, String body) {
        try {
            HttpResponse<String> answer = CLIENT.send(
                    HttpRequest.newBuilder(URI.create(address + path))
                            .method(method, HttpRequest.BodyPublishers.ofString(body))
                            .header("Content-Type", "application/json")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() >= 300) {
                throw new AssertionError(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
            }
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
