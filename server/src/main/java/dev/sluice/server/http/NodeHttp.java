package dev.sluice.server.http;

import dev.sluice.server.config.HttpEndpoint;
import dev.sluice.server.config.SecurityConfig;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;

/** Health, metrics and the admin API of a node, whatever its roles, on the two ports the configuration names. */
public final class NodeHttp implements AutoCloseable {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final List<NodePart> parts;
    private final LoopHealth loops;
    private final String version;
    private final Instant began = Instant.now();
    private final HttpListener admin;
    private final HttpListener metrics;
    private volatile boolean ready = true;

    private NodeHttp(
            Endpoints endpoints, List<NodePart> parts, LoopHealth loops, Supplier<String> scrape, String version) {
        this.parts = List.copyOf(parts);
        this.loops = loops;
        this.version = version;
        var health = endpoints.health();
        var prometheus = endpoints.metrics();
        this.admin = HttpListener.start(
                "puller.health", health.address(), endpoints.security(), routes -> admin(routes, health.path()));
        try {
            this.metrics = HttpListener.start(
                    "puller.metrics",
                    prometheus.address(),
                    endpoints.security(),
                    routes -> routes.get(
                            prometheus.path(),
                            (request, response) -> response.header(HeaderNames.CONTENT_TYPE, PROMETHEUS)
                                    .send(scrape.get())));
        } catch (RuntimeException failed) {
            admin.close();
            throw failed;
        }
    }

    /** Addresses of a node, and their protection. */
    public record Endpoints(HttpEndpoint.Health health, HttpEndpoint.Metrics metrics, SecurityConfig security) {}

    public static NodeHttp start(
            Endpoints endpoints, List<NodePart> parts, LoopHealth loops, Supplier<String> scrape, String version) {
        return new NodeHttp(endpoints, parts, loops, scrape, version);
    }

    private void admin(HttpRouting.Builder routes, String health) {
        routes.get(health, (request, response) -> health(response))
                .get("/livez", (request, response) -> live(response))
                .get("/readyz", (request, response) -> ready(response))
                .get("/admin/v1/status", (request, response) -> Answers.json(response, status()));
        JsonBody.refusals(routes);
        parts.forEach(part -> part.routes(routes));
    }

    public HealthReport health() {
        return HealthReport.of(
                Stream.concat(parts.stream().flatMap(part -> part.health().stream()), loops.parts().stream())
                        .toList(),
                Duration.between(began, Instant.now()),
                version);
    }

    private void health(ServerResponse response) {
        var report = health();
        if (report.status() == HealthReport.Status.UNHEALTHY) {
            response.status(Status.SERVICE_UNAVAILABLE_503);
        }
        Answers.json(response, report.json());
    }

    /** Health and what each role says: what {@code sluice status} shows. */
    private BsonDocument status() {
        var answer = health().summary();
        answer.put("role", Json.value(parts.stream().map(NodePart::role).collect(Collectors.joining(","))));
        parts.forEach(part -> answer.putAll(part.status()));
        return answer;
    }

    /** Fails only when a restart may help: a background loop fails steadily or has ended. Lag and outages never do. */
    private void live(ServerResponse response) {
        var dead = loops.deadLoop();
        if (dead.isPresent()) {
            response.status(Status.SERVICE_UNAVAILABLE_503).send(dead.get() + "\n");
        } else {
            response.send("ok\n");
        }
    }

    private void ready(ServerResponse response) {
        var reasons =
                ready ? parts.stream().flatMap(part -> part.notReady().stream()).toList() : List.of("stopping");
        if (reasons.isEmpty()) {
            response.send("ready\n");
        } else {
            response.status(Status.SERVICE_UNAVAILABLE_503).send(String.join("\n", reasons) + "\n");
        }
    }

    public int adminPort() {
        return admin.port();
    }

    public int metricsPort() {
        return metrics.port();
    }

    /** From now on {@code /readyz} says no: the process is about to stop. */
    public void notReady() {
        ready = false;
    }

    @Override
    public void close() {
        admin.close();
        metrics.close();
    }
}
