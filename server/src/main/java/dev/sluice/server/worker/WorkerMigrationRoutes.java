package dev.sluice.server.worker;

import dev.sluice.model.InvalidInputException;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.JsonBody;
import dev.sluice.worker.Worker;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.admin.WorkerAdmin;
import dev.sluice.worker.migrate.Migration;
import dev.sluice.worker.migrate.MigrationLimits;
import dev.sluice.worker.migrate.WindowReport;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** {@code /admin/v1/worker/migration}: the change of the group's consumer mode. */
final class WorkerMigrationRoutes {
    private static final String PATH = "/admin/v1/worker/migration";

    private final WorkerAdmin admin;
    private final MigrationLimits limits;
    private final Worker worker;

    WorkerMigrationRoutes(WorkerAdmin admin, MigrationLimits limits, Worker worker) {
        this.admin = admin;
        this.limits = limits;
        this.worker = worker;
    }

    void add(HttpRouting.Builder routes) {
        routes.get(PATH, WorkerAnswers.guarded((request, response) -> show(response, List.of())))
                .post(PATH, WorkerAnswers.guarded(this::start))
                .post(PATH + "/abort", WorkerAnswers.guarded((request, response) -> {
                    admin.migrations().abort();
                    show(response, List.of());
                }))
                .delete(PATH, WorkerAnswers.guarded((request, response) -> {
                    admin.migrations().forget();
                    show(response, List.of());
                }));
    }

    /** {@code {"to": "per-partition"}} or {@code {"to": "per-worker"}}. */
    private void start(ServerRequest request, ServerResponse response) {
        WorkerCounters counters = worker.counters();
        long lag = counters.pending.get() + counters.unacknowledged.get();
        show(response, admin.migrate(worker.status().mode(), wanted(request), lag, limits));
    }

    private static ConsumerMode wanted(ServerRequest request) {
        BsonDocument body = JsonBody.of(request);
        String word = body.isString("to") ? body.getString("to").getValue() : "";
        for (ConsumerMode mode : ConsumerMode.values()) {
            if (Migration.word(mode).equals(word)) {
                return mode;
            }
        }
        throw new InvalidInputException("the mode must be per-partition or per-worker, not \"" + word + '"');
    }

    private void show(ServerResponse response, List<String> warnings) {
        Optional<Migration> last = admin.migrations().migration();
        BsonDocument answer = Json.object(
                "migration",
                last.map(WorkerMigrationRoutes::of).orElse(null),
                "workers",
                last.filter(Migration::isRunning).map(this::reports).orElseGet(BsonArray::new),
                "warnings",
                Json.array(warnings, Json::value));
        Answers.json(response, answer);
    }

    /** Also of living workers that have not reported: they roll the migration back. */
    private BsonArray reports(Migration running) {
        Map<String, WindowReport> reports = admin.migrations().reports(running);
        Set<String> workers = new TreeSet<>(worker.group().members());
        workers.addAll(reports.keySet());
        return Json.array(workers, id -> report(id, reports.get(id)));
    }

    static BsonDocument of(Migration migration) {
        return Json.object(
                "from", Migration.word(migration.from()),
                "to", Migration.word(migration.to()),
                "phase", Migration.word(migration.phase()),
                "mode", Migration.word(migration.mode()),
                "since", Instant.ofEpochMilli(migration.since()).toString(),
                "reason", migration.reason().isEmpty() ? null : migration.reason());
    }

    private static BsonDocument report(String worker, @Nullable WindowReport report) {
        return Json.object(
                "worker",
                worker,
                "good",
                report == null ? 0 : report.good(),
                "bad",
                report == null ? 0 : report.bad(),
                "text",
                report == null ? "no report yet" : report.text().isEmpty() ? null : report.text());
    }
}
