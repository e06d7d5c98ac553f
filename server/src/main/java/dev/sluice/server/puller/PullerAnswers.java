package dev.sluice.server.puller;

import dev.sluice.server.http.Answers;
import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.NodePart;
import dev.sluice.stream.BackendPosition;
import dev.sluice.stream.ConsumerStatus;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** What health and the admin API say of a running Puller, as JSON. No setting is shown, so no secret can be. */
public final class PullerAnswers implements NodePart {
    private final Puller puller;

    public PullerAnswers(Puller puller) {
        this.puller = puller;
    }

    @Override
    public String role() {
        return "puller";
    }

    @Override
    public List<HealthPart> health() {
        return Stream.concat(
                        puller.backends().stream().map(BackendHealth::of),
                        puller.failed().stream().map(BackendHealth::of))
                .map(backend -> new HealthPart(HealthPart.Kind.BACKENDS, backend.isHealthy(), json(backend)))
                .toList();
    }

    @Override
    public void routes(HttpRouting.Builder routes) {
        routes.get("/admin/v1/backends", (request, response) -> Answers.json(response, "backends", backends()))
                .get("/admin/v1/consumers", (request, response) -> Answers.json(response, "consumers", consumers()))
                .get(
                        "/admin/v1/checkpoints",
                        (request, response) -> Answers.json(response, "checkpoints", checkpoints(isWhole(request))));
    }

    private static boolean isWhole(ServerRequest request) {
        return request.query()
                .first("whole")
                .asOptional()
                .filter("true"::equals)
                .isPresent();
    }

    private static BsonDocument json(BackendHealth backend) {
        var lag = backend.lag();
        var answer = Json.object(
                "name", backend.name(),
                "status", backend.status(),
                "lastEventTime", backend.lastEventTime(),
                "lagSeconds", lag == null ? null : lag.toSeconds());
        if (!backend.reason().isEmpty()) {
            answer.put("reason", Json.value(backend.reason()));
        }
        return answer;
    }

    @Override
    public BsonDocument status() {
        return Json.object("backends", backends(), "consumers", consumers());
    }

    private BsonArray backends() {
        var answer = Json.array(puller.backends(), PullerAnswers::backend);
        puller.failed().forEach(backend -> answer.add(json(BackendHealth.of(backend))));
        return answer;
    }

    private static BsonValue backend(BackendPipeline backend) {
        var answer = json(BackendHealth.of(backend));
        var log = backend.log();
        var counters = backend.capture().counters();
        answer.put("head", Json.value(log.head().id()));
        answer.put("oldest", Json.value(log.evictedThrough().id()));
        answer.put("events", Json.value(log.events()));
        answer.put("bytes", Json.value(log.bytes()));
        answer.put("waitingSeconds", Json.value(backend.capture().waiting().toSeconds()));
        answer.put("queued", Json.value(backend.queued()));
        answer.put("ingested", Json.value(counters.eventsIngested()));
        answer.put("reconnects", Json.value(counters.reconnects()));
        answer.put("gaps", Json.value(counters.gapsDetected()));
        return answer;
    }

    private BsonArray consumers() {
        return Json.array(puller.consumers().list(), PullerAnswers::consumer);
    }

    private static BsonValue consumer(ConsumerStatus consumer) {
        var overtaken = consumer.untilOvertaken();
        var warning = overtaken
                .filter(left -> OvertakeWatch.isEndangered(consumer))
                .map(left -> "retention overtakes this consumer in " + left.toSeconds()
                        + " s: speed it up, or raise puller.cleaner.retention and puller.buffer.max_size");
        return Json.object(
                "call", consumer.call(),
                "id", consumer.label(),
                "peer", consumer.peer(),
                "since", consumer.since(),
                "state", lower(consumer.state()),
                "events", consumer.events(),
                "eventsBehind", consumer.eventsBehind(),
                "secondsBehind", consumer.secondsBehind(),
                "overtakenInSeconds", overtaken.map(Duration::toSeconds).orElse(null),
                "warning", warning.orElse(null),
                "positions", positions(consumer.positions()));
    }

    private static BsonDocument positions(List<BackendPosition> positions) {
        var byBackend = new TreeMap<String, Object>();
        positions.forEach(position -> byBackend.put(position.backend(), position.passed()));
        return Json.object(byBackend);
    }

    /** Each backend's own checkpoint, as the log has it; whole, only for {@code sluice checkpoints export}. */
    private BsonArray checkpoints(boolean whole) {
        return Json.array(
                puller.backends(),
                backend -> SavedCheckpoints.json(backend.name(), backend.log().checkpoint(), whole));
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
