package dev.sluice.server.worker;

import dev.sluice.server.http.Json;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerStatus;
import dev.sluice.worker.migrate.Migration;
import dev.sluice.worker.migrate.MigrationStatus;
import java.util.Locale;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** A worker's status and counters as JSON. */
final class WorkerReport {
    private WorkerReport() {}

    static BsonDocument of(WorkerStatus status, WorkerCounters counters) {
        return Json.object(
                "group", status.group(),
                "worker", status.worker(),
                "incarnation", status.incarnation(),
                "state", word(status.state()),
                "consumers", Json.array(status.consumers(), Json::value),
                "subjects", status.subjects(),
                "queued", status.queued(),
                "lag", counters.pending.get() + status.queued(),
                "messages", counters.messages.sum(),
                "redeliveries", counters.redeliveries.sum(),
                "handled", counters.handled.sum(),
                "retried", counters.retried.sum(),
                "deadLettered", counters.deadLettered.sum(),
                "updates", counters.updates.sum(),
                "updateFailures", counters.updateFailures.sum(),
                "handoffs", counters.handoffs.sum(),
                "gaps", counters.gaps.sum(),
                "mode", Migration.word(status.mode()),
                "migration", migration(status.migration()),
                "problems", Json.array(status.problems(), Json::value),
                "partitions", Json.array(status.lanes(), WorkerReport::lane));
    }

    private static @Nullable BsonDocument migration(@Nullable MigrationStatus status) {
        if (status == null) {
            return null;
        }
        BsonDocument migration = WorkerMigrationRoutes.of(status.migration());
        migration.put("windows", Json.value(status.windows().isEmpty() ? null : status.windows()));
        return migration;
    }

    private static BsonDocument lane(LaneStatus lane) {
        return Json.object(
                "partition", lane.partition(),
                "index", lane.index(),
                "generation", lane.token().generation(),
                "epoch", lane.token().epoch(),
                "source", word(lane.source()),
                "low", lane.low(),
                "queued", lane.queued(),
                "lag", lane.lag(),
                "attempts", lane.attempts(),
                "waiting", lane.waiting() == LaneStatus.Waiting.NO ? null : word(lane.waiting()),
                "lastError", lane.lastError());
    }

    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
