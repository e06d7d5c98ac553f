package dev.sluice.server.streamer;

import dev.sluice.http.SubscriptionRoutes;
import dev.sluice.lane.LaneStatus;
import dev.sluice.route.StreamerStatus;
import dev.sluice.server.cluster.GroupAnswers;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.NodePart;
import dev.sluice.subscribe.GatewayStatus;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/** What health and the admin API say of a running Streamer, as JSON. */
public final class StreamerAnswers implements NodePart {
    private final StreamerRole role;

    public StreamerAnswers(StreamerRole role) {
        this.role = role;
    }

    @Override
    public String role() {
        return "streamer";
    }

    /** The partitions this node works on, those that nobody does, and every gateway. */
    @Override
    public List<HealthPart> health() {
        var parts = new ArrayList<HealthPart>();
        var status = role.streamer().status();
        status.lanes().forEach(lane -> parts.add(GatewayHealth.of(lane, role.lagThreshold())));
        status.partitions()
                .forEach(one -> parts.add(new HealthPart(
                        HealthPart.Kind.PARTITIONS, one.health() == StreamerStatus.Health.HEALTHY, health(one))));
        role.group()
                .status()
                .withoutOwner()
                .forEach((id, since) -> parts.add(new HealthPart(
                        HealthPart.Kind.PARTITIONS,
                        false,
                        Json.object(
                                "id",
                                id,
                                "status",
                                StreamerStatus.Health.FAILED.text(),
                                "lagSeconds",
                                null,
                                "eventRate",
                                0.0,
                                "lastEvent",
                                null,
                                "reason",
                                "nobody has owned it for " + since.toSeconds() + " s"))));
        return parts;
    }

    private static BsonDocument health(StreamerStatus.OfPartition one) {
        var answer = Json.object(
                "id", one.id(),
                "status", one.health().text(),
                "lagSeconds", one.lag().toSeconds(),
                "eventRate", one.eventRate(),
                "lastEvent", one.lastEvent().map(Instant::toString).orElse(null));
        if (!one.why().isEmpty()) {
            answer.put("reason", Json.value(one.why()));
        }
        return answer;
    }

    @Override
    public void routes(HttpRouting.Builder routes) {
        routes.any(SubscriptionRoutes.PATH + "/*", this::whileItRuns)
                .register(SubscriptionRoutes.PATH, new SubscriptionRoutes(role.control()))
                .get(
                        "/admin/v1/subscriptions",
                        (request, response) ->
                                response.reroute(SubscriptionRoutes.PATH + "/subscriptions", request.query()));
        routes.get("/admin/v1/gateways", (request, response) -> Answers.json(response, "gateways", gateways()))
                .get("/admin/v1/lanes", (request, response) -> Answers.json(response, "lanes", lanes()))
                .get(
                        "/admin/v1/cluster",
                        (request, response) -> Answers.json(response, GroupAnswers.status(role.group())))
                .get(
                        "/admin/v1/audit",
                        (request, response) -> Answers.json(
                                response,
                                "events",
                                GroupAnswers.audit(role.group().audit())));
        new SubscriptionStatusRoutes(role).add(routes);
        new PartitionRoutes(role).add(routes);
        new DeadLetterRoutes(role).add(routes);
        new ResyncRoutes(role).add(routes);
    }

    /** A registration that is taken while everything stops might be acknowledged and never applied. */
    private void whileItRuns(ServerRequest request, ServerResponse response) {
        if (role.isStopping()) {
            Answers.refuse(
                    response, Status.SERVICE_UNAVAILABLE_503, "this node is stopping: try again, here or at another");
        } else {
            response.next();
        }
    }

    /** As registrations are refused: while the heads of the event logs are not known, and once this node stops. */
    @Override
    public Optional<String> notReady() {
        if (role.isStopping()) {
            return Optional.of("the streamer is stopping: no registrations are taken");
        }
        return role.refusesRegistrations().map(reason -> "no registrations are taken: " + reason);
    }

    @Override
    public BsonDocument status() {
        return Json.object(
                "subscriptions", role.subscriptions().size(),
                "deadLetters", role.deadLetters().count(),
                "partitions", Json.array(role.streamer().status().partitions(), StreamerAnswers::partition),
                "gateways", gateways(),
                "lanes", lanes(),
                "cluster", GroupAnswers.status(role.group()));
    }

    static BsonDocument partition(StreamerStatus.OfPartition one) {
        var answer = health(one);
        answer.put("unacknowledged", Json.value(one.unacknowledged()));
        return answer;
    }

    private BsonArray gateways() {
        var errors = new HashMap<String, LaneStatus.LastError>();
        role.streamer()
                .status()
                .lanes()
                .forEach(lane -> lane.lastError().ifPresent(error -> errors.put(lane.gatewayId(), error)));
        return Json.array(
                role.gateways().list(),
                one -> withError(
                        gateway(one),
                        Optional.ofNullable(errors.get(one.address().id()))));
    }

    /** Why the last attempt failed, and when; both null after one that succeeded. */
    private static BsonDocument withError(BsonDocument answer, Optional<LaneStatus.LastError> error) {
        answer.put(
                "lastError", Json.value(error.map(LaneStatus.LastError::reason).orElse(null)));
        answer.put("lastErrorAt", Json.value(error.map(LaneStatus.LastError::at).orElse(null)));
        return answer;
    }

    private BsonDocument gateway(GatewayStatus one) {
        var id = one.address().id();
        return Json.object(
                "id", id,
                "protocol", one.address().protocol().text(),
                "endpoint", withoutCredentials(one.address().endpoint()),
                "status", one.up() ? "up" : "away",
                "secondsLeft", one.left().toSeconds(),
                "subscriptions", role.subscriptions().ofGateway(id).size(),
                "progress", role.streamer().lowWater(id));
    }

    /** What a gateway registered may hold a password for NATS. */
    private static String withoutCredentials(String endpoint) {
        return endpoint.replaceAll("//[^/@]*@", "//");
    }

    private BsonArray lanes() {
        return Json.array(role.streamer().status().lanes(), StreamerAnswers::lane);
    }

    private static BsonDocument lane(LaneStatus lane) {
        var queued = new TreeMap<String, Object>();
        lane.queued().forEach((priority, size) -> queued.put(priority.name().toLowerCase(Locale.ROOT), size));
        var answer = Json.object(
                "gateway", lane.gatewayId(),
                "state", lane.state(),
                "breaker", lane.breaker(),
                "queued", Json.object(queued),
                "inFlight", lane.inFlight(),
                "lagSeconds", lane.lag().toSeconds(),
                "groupsBehind", lane.behind().size(),
                "sideGroups", GroupsBehind.side(lane),
                "stuckSubscriptions", GroupsBehind.stuck(lane),
                "behind", Json.array(lane.behind(), StreamerAnswers::behind));
        return withError(answer, lane.lastError());
    }

    private static BsonDocument behind(LaneStatus.Behind behind) {
        return Json.object(
                "partition", behind.partition(),
                "priority", behind.priority().name().toLowerCase(Locale.ROOT),
                "since", behind.since(),
                "position", behind.position(),
                "oldest", behind.oldest().orElse(null),
                "subscriptions", behind.members() == 0 ? null : behind.members(),
                "waits", behind.waits().text());
    }
}
