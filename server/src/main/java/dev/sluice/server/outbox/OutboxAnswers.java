package dev.sluice.server.outbox;

import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.relay.BlockedTopic;
import dev.sluice.outbox.relay.PartitionStatus;
import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.outbox.table.Backlog;
import dev.sluice.outbox.table.OutboxDatabaseException;
import dev.sluice.server.cluster.GroupAnswers;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.NodePart;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.List;
import java.util.Locale;
import org.bson.BsonDocument;

/** What health and the admin API say of a running outbox relay, as JSON. */
public final class OutboxAnswers implements NodePart {
    private static final String PATH = "/admin/v1/outbox";
    private static final int MOST = 1_000;

    private final OutboxRole role;
    private final OutboxHealth health;

    public OutboxAnswers(OutboxRole role) {
        this.role = role;
        this.health = new OutboxHealth(role);
    }

    @Override
    public String role() {
        return "outbox";
    }

    @Override
    public List<HealthPart> health() {
        return health.parts();
    }

    @Override
    public void routes(HttpRouting.Builder routes) {
        routes.get(PATH, (request, response) -> Answers.json(response, outbox()))
                .get(
                        PATH + "/audit",
                        (request, response) -> Answers.json(
                                response,
                                "events",
                                GroupAnswers.audit(role.relay().audit())))
                .get(PATH + "/dead", guarded(this::dead))
                .post(PATH + "/requeue", guarded(this::requeue));
    }

    /** What asks the database may be refused, or find it away. */
    private interface Asking {
        BsonDocument answer(ServerRequest request);
    }

    private static io.helidon.webserver.http.Handler guarded(Asking asking) {
        return (ServerRequest request, ServerResponse response) -> {
            try {
                Answers.json(response, asking.answer(request));
            } catch (InvalidInputException refused) {
                Answers.refuse(response, Status.BAD_REQUEST_400, String.valueOf(refused.getMessage()));
            } catch (OutboxDatabaseException away) {
                Answers.refuse(response, Status.SERVICE_UNAVAILABLE_503, String.valueOf(away.getMessage()));
            }
        };
    }

    @Override
    public BsonDocument status() {
        return Json.object("outbox", outbox());
    }

    private BsonDocument outbox() {
        RelayStatus status = role.relay().status();
        var members = status.members();
        return Json.object(
                "name", status.name(),
                "node", status.node(),
                "sink", role.config().sink().name().toLowerCase(Locale.ROOT),
                "delivery", role.config().delivery().name().toLowerCase(Locale.ROOT),
                "says", members.sentence(),
                "relays", Json.array(members.members(), Json::value),
                "leader", members.leader(),
                "claims", members.partitions(),
                "changing", members.changing(),
                "listening", status.listening(),
                "sent", role.relay().counters().sent(),
                "pending", status.backlog().map(Backlog::rows).orElse(null),
                "parked", status.backlog().map(Backlog::parked).orElse(null),
                "dead", status.backlog().map(Backlog::dead).orElse(null),
                "partitions", Json.array(status.partitions(), OutboxAnswers::partition),
                "blockedTopics", Json.array(status.blockedTopics(), OutboxAnswers::blocked),
                "hotKeys", Json.array(status.hotKeys(), OutboxAnswers::hotKey));
    }

    private static BsonDocument partition(PartitionStatus one) {
        return Json.object(
                "partition", one.partition(),
                "generation", one.token().generation(),
                "epoch", one.token().epoch(),
                "breaker", one.breaker().name().toLowerCase(Locale.ROOT),
                "waitingSeconds", one.waiting().toSeconds(),
                "sent", one.sent(),
                "batchRows", one.batchRows(),
                "parkedKeys", one.parkedKeys(),
                "trouble", one.trouble().isEmpty() ? null : one.trouble());
    }

    private static BsonDocument blocked(BlockedTopic one) {
        return Json.object("topic", one.topic(), "attempts", one.attempts(), "reason", one.reason());
    }

    private static BsonDocument hotKey(RelayStatus.HotKey hot) {
        return Json.object(
                "partition", hot.partition(), "key", hot.key(), "share", hot.share(), "advice", hot.advice());
    }

    private BsonDocument dead(ServerRequest request) {
        long limit = Math.min(MOST, number(request, "limit", 100));
        var rows = role.table().dead((int) limit, number(request, "after", Long.MIN_VALUE));
        return Json.object("dead", OutboxReport.dead(rows));
    }

    /** {@code ?all=true}, {@code ?key=K} or {@code ?id=1}. */
    private BsonDocument requeue(ServerRequest request) {
        var key = request.query().first("key").asOptional();
        var id = number(request, "id", Long.MIN_VALUE);
        var all =
                request.query().first("all").asOptional().filter("true"::equals).isPresent();
        if ((key.isPresent() ? 1 : 0) + (id == Long.MIN_VALUE ? 0 : 1) + (all ? 1 : 0) != 1) {
            throw new InvalidInputException("say which: ?id=ID, ?key=KEY or ?all=true, and only one of them");
        }
        var count = all
                ? role.table().requeueAll()
                : key.isPresent()
                        ? role.table().requeueKey(key.get())
                        : role.table().requeue(List.of(id));
        role.relay().wake();
        return Json.object("requeued", count);
    }

    private static long number(ServerRequest request, String name, long otherwise) {
        var text = request.query().first(name).asOptional().orElse("");
        if (!text.matches("\\d{0,18}")) {
            throw new InvalidInputException(name + " is a whole number");
        }
        return text.isEmpty() ? otherwise : Long.parseLong(text);
    }
}
