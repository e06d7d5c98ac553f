package dev.sluice.gateway.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Reads server-sent events as the standard says, and hands them out one by one. */
final class SseClient implements AutoCloseable {
    /** One message; {@code type} and {@code data} are empty where it has only an id. */
    record Message(String type, String data, String id) {}

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final LinkedBlockingQueue<Message> messages = new LinkedBlockingQueue<>();
    private final HttpResponse<java.io.InputStream> response;

    SseClient(int port, String query, String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/events?" + query));
        if (headers.length > 0) {
            request.headers(headers);
        }
        response = client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() == 200) {
            Thread.ofVirtual().start(this::read);
        }
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    int status() {
        return response.statusCode();
    }

    String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    String body() throws IOException {
        return new String(response.body().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private void read() {
        String type = "";
        String id = "";
        StringBuilder data = new StringBuilder();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isEmpty()) {
                    if (!id.isEmpty() || !data.isEmpty()) {
                        messages.add(new Message(type, data.toString(), id));
                    }
                    type = "";
                    id = "";
                    data.setLength(0);
                } else if (line.startsWith("data: ")) {
                    data.append(line.substring(6));
                } else if (line.startsWith("event: ")) {
                    type = line.substring(7);
                } else if (line.startsWith("id: ")) {
                    id = line.substring(4);
                }
            }
        } catch (IOException ended) {
            // So it has.
        }
        messages.add(new Message("end", "", ""));
    }

    Message next() throws InterruptedException {
        Message message = messages.poll(20, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError("no message within 20 seconds");
        }
        return message;
    }

    /** The next that is more than an id. */
    Message nextEvent() throws InterruptedException {
        Message message = next();
        return message.data.isEmpty() && message.type.isEmpty() ? nextEvent() : message;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
