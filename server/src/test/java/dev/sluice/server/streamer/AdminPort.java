package dev.sluice.server.streamer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.bson.BsonDocument;

/** Asks a node over HTTP. */
record AdminPort(int port) {
    HttpResponse<String> get(String path) {
        return send("GET", path, "");
    }

    BsonDocument json(String path) {
        return BsonDocument.parse(get(path).body());
    }

    HttpResponse<String> send(String method, String path, String body) {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException silent) {
            throw new UncheckedIOException(silent);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stop);
        }
    }
}
