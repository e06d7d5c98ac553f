package dev.sluice.server.worker;

import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.server.http.Answers;
import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.Json;
import dev.sluice.server.http.NodePart;
import dev.sluice.worker.WorkerStatus;
import dev.sluice.worker.stream.StreamRefusedException;
import dev.sluice.worker.stream.StreamUnavailableException;
import io.helidon.http.Status;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.HttpRouting;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;

/** Health and admin API of a running worker, as JSON. */
public final class WorkerAnswers implements NodePart {
    private static final String PATH = "/admin/v1/worker";

    private final WorkerRole role;

    public WorkerAnswers(WorkerRole role) {
        this.role = role;
    }

    @Override
    public String role() {
        return "worker";
    }

    @Override
    public List<HealthPart> health() {
        return WorkerHealth.parts(role.status(), role.handler().away());
    }

    @Override
    public Optional<String> notReady() {
        return role.status().state() == WorkerStatus.State.JOINING
                ? Optional.of("the worker is not a member of its group yet")
                : Optional.empty();
    }

    @Override
    public void routes(HttpRouting.Builder routes) {
        routes.get(PATH, (request, response) -> Answers.json(response, worker()))
                .post(PATH + "/pause", changing(() -> role.worker().pause()))
                .post(PATH + "/resume", changing(() -> role.worker().resume()))
                .post(PATH + "/drain", changing(role::drain));
        new WorkerPartitionRoutes(role.admin(), () -> role.status().mode()).add(routes);
        new WorkerMigrationRoutes(
                        role.admin(), WorkerParts.migration(role.config().migration()), role.worker())
                .add(routes);
        new WorkerDeadLetterRoutes(role.admin()).add(routes);
    }

    private Handler changing(Runnable change) {
        return guarded((request, response) -> {
            change.run();
            WorkerStatus status = role.status();
            Answers.json(response, Json.object("worker", status.worker(), "state", WorkerReport.word(status.state())));
        });
    }

    /** A call that the worker may refuse, or that finds NATS away. */
    static Handler guarded(Handler call) {
        return (request, response) -> {
            try {
                call.handle(request, response);
            } catch (InvalidInputException | StreamRefusedException refused) {
                Answers.refuse(response, Status.BAD_REQUEST_400, String.valueOf(refused.getMessage()));
            } catch (StreamUnavailableException | StoreUnavailableException away) {
                Answers.refuse(response, Status.SERVICE_UNAVAILABLE_503, String.valueOf(away.getMessage()));
            }
        };
    }

    @Override
    public BsonDocument status() {
        return Json.object("worker", worker());
    }

    private BsonDocument worker() {
        BsonDocument answer = WorkerReport.of(role.status(), role.worker().counters());
        answer.put("stream", Json.value(role.config().stream().orElse("")));
        answer.put(
                "handler",
                Json.value(
                        role.config().handler().type().map(WorkerReport::word).orElse("")));
        answer.put("receiverAway", Json.value(role.handler().away().orElse(null)));
        return answer;
    }
}
