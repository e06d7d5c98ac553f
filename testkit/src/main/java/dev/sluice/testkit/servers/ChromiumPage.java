package dev.sluice.testkit.servers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/** One tab, steered through the DevTools protocol. It remembers every error the page or its console reports. */
public final class ChromiumPage implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(20);

    private final HttpClient client;
    private final WebSocket socket;
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<Integer, CompletableFuture<BsonDocument>> answers = new ConcurrentHashMap<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();

    private ChromiumPage(HttpClient client, URI address) {
        this.client = client;
        this.socket =
                client.newWebSocketBuilder().buildAsync(address, new Listener()).join();
    }

    static ChromiumPage open(URI browser, String url) {
        var client = HttpClient.newHttpClient();
        var address = URI.create("http://" + browser.getAuthority() + "/json/new?about:blank");
        try {
            var answer = client.send(
                    HttpRequest.newBuilder(address)
                            .PUT(HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            var target = BsonDocument.parse(answer.body()).getString("webSocketDebuggerUrl");
            var page = new ChromiumPage(client, URI.create(target.getValue()));
            page.call("Runtime.enable", new BsonDocument());
            page.call("Log.enable", new BsonDocument());
            page.call("Page.enable", new BsonDocument());
            page.call("Page.navigate", new BsonDocument("url", new BsonString(url)));
            page.await("document.readyState === 'complete' && location.href !== 'about:blank'");
            return page;
        } catch (IOException e) {
            throw new IllegalStateException("chromium does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                received(BsonDocument.parse(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    private void received(BsonDocument message) {
        if (message.containsKey("id")) {
            var answer = answers.remove(message.getInt32("id").getValue());
            if (answer != null) {
                answer.complete(message);
            }
            return;
        }
        var parameters = message.getDocument("params", new BsonDocument());
        var wrong = switch (message.getString("method").getValue()) {
            case "Runtime.exceptionThrown" -> true;
            case "Runtime.consoleAPICalled" ->
                parameters.getString("type").getValue().equals("error");
            case "Log.entryAdded" ->
                parameters.getDocument("entry").getString("level").getValue().equals("error");
            default -> false;
        };
        if (wrong) {
            errors.add(parameters.toJson());
        }
    }

    private BsonDocument call(String method, BsonDocument parameters) {
        var id = calls.incrementAndGet();
        var answer = new CompletableFuture<BsonDocument>();
        answers.put(id, answer);
        var message = new BsonDocument("id", new BsonInt32(id))
                .append("method", new BsonString(method))
                .append("params", parameters);
        try {
            socket.sendText(message.toJson(), true).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).getDocument("result", new BsonDocument());
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("chromium does not answer " + method, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The value of an expression, or of the promise it is. */
    public BsonValue evaluate(String javascript) {
        var result = call(
                "Runtime.evaluate",
                new BsonDocument("expression", new BsonString(javascript))
                        .append("returnByValue", BsonBoolean.TRUE)
                        .append("awaitPromise", BsonBoolean.TRUE));
        if (result.containsKey("exceptionDetails")) {
            throw new IllegalStateException(javascript + " failed: "
                    + result.get("exceptionDetails").asDocument().toJson());
        }
        return result.getDocument("result").get("value", BsonNull.VALUE);
    }

    /** The text that an expression is. */
    public String text(String javascript) {
        return evaluate("String(" + javascript + ")").asString().getValue();
    }

    /** Waits until an expression is true. */
    public void await(String javascript) throws InterruptedException {
        var end = System.nanoTime() + PATIENCE.toNanos();
        while (!evaluate("!!(" + javascript + ")").equals(BsonBoolean.TRUE)) {
            if (System.nanoTime() > end) {
                throw new AssertionError("The page did not come to " + javascript + " within " + PATIENCE + ": "
                        + text("document.body.innerText") + "\n" + errors);
            }
            Thread.sleep(POLL);
        }
    }

    /** As people see it who like their screens dark, or light; without movement, which pictures do not show. */
    public void prefersDark(boolean dark) {
        var features = new BsonArray(List.of(
                feature("prefers-color-scheme", dark ? "dark" : "light"), feature("prefers-reduced-motion", "reduce")));
        call("Emulation.setEmulatedMedia", new BsonDocument("features", features));
    }

    private static BsonDocument feature(String name, String value) {
        return new BsonDocument("name", new BsonString(name)).append("value", new BsonString(value));
    }

    /** Sets the size of the tab, in CSS pixels. */
    public void size(int width, int height) {
        call(
                "Emulation.setDeviceMetricsOverride",
                new BsonDocument("width", new BsonInt32(width))
                        .append("height", new BsonInt32(height))
                        .append("deviceScaleFactor", new BsonInt32(1))
                        .append("mobile", BsonBoolean.FALSE));
    }

    /** Writes a picture of what is to be seen. */
    public void screenshot(Path png) throws IOException {
        var picture = call("Page.captureScreenshot", new BsonDocument("format", new BsonString("png")));
        var folder = png.toAbsolutePath().getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        Files.write(png, Base64.getDecoder().decode(picture.getString("data").getValue()));
    }

    /** What went wrong so far: exceptions, errors on the console, requests that failed. */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    @Override
    public void close() {
        socket.abort();
        client.shutdownNow();
    }
}
