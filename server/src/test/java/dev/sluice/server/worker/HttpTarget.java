package dev.sluice.server.worker;

import io.helidon.http.Status;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A receiver of forwarded messages, HTTP/2 and HTTP/1.1, that remembers what it accepted. */
final class HttpTarget implements AutoCloseable {
    record Request(String body, Map<String, String> headers, String protocol) {}

    /** Every request, refused ones included. */
    final List<Request> requests = new CopyOnWriteArrayList<>();

    /** Bodies of those that were answered with 2xx, in order. */
    final List<String> accepted = new CopyOnWriteArrayList<>();

    private volatile Function<String, Integer> statuses = body -> 200;
    private final WebServer server;

    HttpTarget() {
        this(0);
    }

    HttpTarget(int port) {
        server = WebServer.builder()
                .address(InetAddress.getLoopbackAddress())
                .port(port)
                .shutdownHook(false)
                .connectionOptions(options -> options.tcpNoDelay(true))
                .routing(routing -> routing.post("/orders", this::receive))
                .build()
                .start();
    }

    String url() {
        return "http://127.0.0.1:" + server.port() + "/orders";
    }

    int port() {
        return server.port();
    }

    /** The status by the request's body, from now on. */
    void answer(Function<String, Integer> status) {
        statuses = status;
    }

    private void receive(ServerRequest request, ServerResponse response) {
        String body = request.content().as(String.class);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        request.headers().forEach(header -> headers.put(header.name(), header.get()));
        requests.add(new Request(body, headers, request.prologue().protocolVersion()));
        int status = statuses.apply(body);
        if (status / 100 == 2) {
            accepted.add(body);
        }
        response.status(Status.create(status)).send(status / 100 == 2 ? "" : "said " + status);
    }

    @Override
    public void close() {
        server.stop();
    }
}
