package dev.sluice.server.worker;

import dev.sluice.model.InvalidInputException;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.JsonBody;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.admin.GroupReport;
import dev.sluice.worker.admin.PartitionChange;
import dev.sluice.worker.admin.WorkerAdmin;
import dev.sluice.worker.partition.Partitions;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;

/** {@code /admin/v1/worker/partitions}: the partitions of the whole group with their owners, and their change. */
final class WorkerPartitionRoutes {
    private static final String PATH = "/admin/v1/worker/partitions";

    private final WorkerAdmin admin;
    private final Supplier<ConsumerMode> mode;

    /** @param mode the present mode of this worker */
    WorkerPartitionRoutes(WorkerAdmin admin, Supplier<ConsumerMode> mode) {
        this.admin = admin;
        this.mode = mode;
    }

    void add(HttpRouting.Builder routes) {
        routes.get(PATH, WorkerAnswers.guarded((request, response) -> Answers.json(response, group(admin.status()))))
                .put(PATH, WorkerAnswers.guarded(this::change));
    }

    private static BsonDocument group(GroupReport report) {
        return Json.object(
                "group", report.group(),
                "partitioning", report.partitioning(),
                "workers", Json.array(report.workers(), Json::value),
                "unowned", report.unowned(),
                "partitions", Json.array(report.partitions(), WorkerPartitionRoutes::owned));
    }

    private static BsonDocument owned(GroupReport.Owned owned) {
        return Json.object(
                "partition", owned.partition().id(),
                "index", owned.partition().index(),
                "filter", owned.partition().filter(),
                "closed", owned.partition().closed(),
                "owner", owned.owner().isEmpty() ? null : owned.owner(),
                "token", owned.token());
    }

    /** {@code {"subjects": […]}}, {@code {"pattern": "…"}} or {@code {"hashed": {"prefix": "…", "count": n}}}. */
    private void change(ServerRequest request, ServerResponse response) {
        PartitionChange change = admin.changePartitions(wanted(request), mode.get());
        Answers.json(
                response,
                Json.object(
                        "added", change.added(),
                        "closed", change.closed(),
                        "closing", change.closing(),
                        "reopened", change.reopened(),
                        "warnings", Json.array(change.warnings(), Json::value)));
    }

    private static Partitions wanted(ServerRequest request) {
        try {
            var body = JsonBody.of(request);
            if (body.size() != 1) {
                throw refused();
            }
            return switch (body.getFirstKey()) {
                case "subjects" ->
                    Partitions.list(body.getArray("subjects").stream()
                            .map(subject -> subject.asString().getValue())
                            .toList());
                case "pattern" -> Partitions.pattern(body.getString("pattern").getValue());
                case "hashed" -> {
                    var hashed = body.getDocument("hashed");
                    yield Partitions.hashed(
                            hashed.getString("prefix").getValue(),
                            hashed.getNumber("count").intValue());
                }
                default -> throw refused();
            };
        } catch (BsonInvalidOperationException bad) {
            throw refused();
        }
    }

    private static InvalidInputException refused() {
        return new InvalidInputException("the body must be {\"subjects\": [...]}, {\"pattern\": \"...\"} or"
                + " {\"hashed\": {\"prefix\": \"...\", \"count\": n}}");
    }
}
