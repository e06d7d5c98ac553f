package dev.sluice.server.puller;

import dev.sluice.server.config.PullerConfig;
import dev.sluice.server.config.SecurityConfig;
import dev.sluice.server.http.HttpListener;
import dev.sluice.server.http.Json;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import org.bson.BsonDocument;

/** Health, metrics and the admin API of a Puller, on the two ports the configuration names. */
public final class PullerHttp implements AutoCloseable {
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final PullerAnswers answers;
    private final HttpListener admin;
    private final HttpListener metrics;
    private volatile boolean ready = true;

    private PullerHttp(PullerConfig config, SecurityConfig security, Puller puller, PullerAnswers answers) {
        this.answers = answers;
        this.admin = HttpListener.start(
                "puller.health",
                config.health().address(),
                security,
                routes -> admin(routes, config.health().path()));
        try (var opened = new Opened()) {
            opened.add(admin);
            this.metrics = HttpListener.start(
                    "puller.metrics",
                    config.metrics().address(),
                    security,
                    routes -> routes.get(
                            config.metrics().path(),
                            (request, response) -> response.header(HeaderNames.CONTENT_TYPE, PROMETHEUS)
                                    .send(puller.meters().scrape())));
            opened.keep();
        }
    }

    public static PullerHttp start(PullerConfig config, SecurityConfig security, Puller puller, PullerAnswers answers) {
        return new PullerHttp(config, security, puller, answers);
    }

    private void admin(HttpRouting.Builder routes, String health) {
        routes.get(health, (request, response) -> health(response))
                .get("/livez", (request, response) -> response.send("ok\n"))
                .get("/readyz", (request, response) -> ready(response))
                .get("/admin/v1/status", (request, response) -> json(response, answers.status()))
                .get("/admin/v1/backends", (request, response) -> json(response, "backends", answers.backends()))
                .get("/admin/v1/consumers", (request, response) -> json(response, "consumers", answers.consumers()))
                .get(
                        "/admin/v1/checkpoints",
                        (request, response) -> json(response, "checkpoints", answers.checkpoints(isWhole(request))));
    }

    private static boolean isWhole(ServerRequest request) {
        return request.query()
                .first("whole")
                .asOptional()
                .filter("true"::equals)
                .isPresent();
    }

    private void health(ServerResponse response) {
        var report = answers.health();
        if (report.status() == HealthReport.Status.UNHEALTHY) {
            response.status(Status.SERVICE_UNAVAILABLE_503);
        }
        json(response, PullerAnswers.json(report));
    }

    private void ready(ServerResponse response) {
        if (ready) {
            response.send("ready\n");
        } else {
            response.status(Status.SERVICE_UNAVAILABLE_503).send("stopping\n");
        }
    }

    private static void json(ServerResponse response, String name, Object value) {
        json(response, Json.object(name, value));
    }

    private static void json(ServerResponse response, BsonDocument answer) {
        response.header(HeaderNames.CONTENT_TYPE, "application/json").send(Json.text(answer));
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
