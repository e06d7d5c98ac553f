package dev.sluice.server.puller;

import dev.sluice.server.http.Json;
import dev.sluice.stream.BackendPosition;
import dev.sluice.stream.ConsumerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** What health and the admin API say of a running Puller, as JSON. No setting is shown, so no secret can be. */
public final class PullerAnswers {
    private final Puller puller;
    private final String version;
    private final Instant began = Instant.now();

    public PullerAnswers(Puller puller, String version) {
        this.puller = puller;
        this.version = version;
    }

    public HealthReport health() {
        return HealthReport.of(
                Stream.concat(
                                puller.backends().stream().map(BackendHealth::of),
                                puller.failed().stream().map(BackendHealth::of))
                        .toList(),
                Duration.between(began, Instant.now()),
                version);
    }

    public static BsonDocument json(HealthReport health) {
        return Json.object(
                "status", lower(health.status()),
                "uptimeSeconds", health.uptime().toSeconds(),
                "version", health.version(),
                "backends", Json.array(health.backends(), PullerAnswers::json),
                "partitions", new BsonArray());
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

    /** Health, backends and consumers together: what {@code sluice status} shows. */
    public BsonDocument status() {
        var health = health();
        return Json.object(
                "status", lower(health.status()),
                "uptimeSeconds", health.uptime().toSeconds(),
                "version", health.version(),
                "role", "puller",
                "backends", backends(),
                "consumers", consumers());
    }

    public BsonArray backends() {
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
        answer.put("queued", Json.value(backend.queued()));
        answer.put("ingested", Json.value(counters.eventsIngested()));
        answer.put("reconnects", Json.value(counters.reconnects()));
        answer.put("gaps", Json.value(counters.gapsDetected()));
        return answer;
    }

    public BsonArray consumers() {
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
    public BsonArray checkpoints(boolean whole) {
        return Json.array(
                puller.backends(),
                backend -> SavedCheckpoints.json(backend.name(), backend.log().checkpoint(), whole));
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
