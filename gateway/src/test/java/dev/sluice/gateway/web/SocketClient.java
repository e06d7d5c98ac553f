package dev.sluice.gateway.web;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The JDK's WebSocket, with what it receives in a queue. */
final class SocketClient implements WebSocket.Listener, AutoCloseable {
    private final LinkedBlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final StringBuilder text = new StringBuilder();
    final CompletableFuture<String> closed = new CompletableFuture<>();
    final WebSocket socket;
    private final HttpClient client = HttpClient.newHttpClient();

    SocketClient(int port, String query, String... headers) throws Exception {
        WebSocket.Builder builder = client.newWebSocketBuilder();
        for (int k = 0; k < headers.length; k += 2) {
            builder.header(headers[k], headers[k + 1]);
        }
        socket = builder.buildAsync(URI.create("ws://127.0.0.1:" + port + "/v1/subscribe" + query), this)
                .get(20, TimeUnit.SECONDS);
    }

    void send(String message) throws Exception {
        socket.sendText(message, true).get(20, TimeUnit.SECONDS);
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
        text.append(part);
        if (last) {
            messages.add(text.toString());
            text.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
        closed.complete(status + " " + reason);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.complete("error " + error);
    }

    String next() throws InterruptedException {
        String message = messages.poll(20, TimeUnit.SECONDS);
        if (message == null) {
            throw new AssertionError("no message within 20 seconds");
        }
        return message;
    }

    @Override
    public void close() {
        socket.abort();
        client.shutdownNow();
    }
}
