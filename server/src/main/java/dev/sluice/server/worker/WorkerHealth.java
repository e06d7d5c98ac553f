package dev.sluice.server.worker;

import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.Json;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.LaneStatus.Waiting;
import dev.sluice.worker.WorkerStatus;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The four things a worker needs: membership in its group, its consumers, partitions that go on, and its receiver. */
final class WorkerHealth {
    private static final int NAMED_PARTITIONS = 10;

    private WorkerHealth() {}

    static List<HealthPart> parts(WorkerStatus status, Optional<String> receiverAway) {
        return List.of(
                part("membership", membership(status)),
                part("consumers", consumers(status)),
                part("partitions", partitions(status)),
                part("receiver", receiverAway.orElse(null)));
    }

    private static HealthPart part(String name, @Nullable String trouble) {
        var answer = Json.object("name", name, "status", trouble == null ? "healthy" : "failed");
        if (trouble != null) {
            answer.put("reason", Json.value(trouble));
        }
        return new HealthPart(HealthPart.Kind.WORKER, trouble == null, answer);
    }

    private static @Nullable String membership(WorkerStatus status) {
        return status.state() == WorkerStatus.State.JOINING ? "the worker is not a member of its group yet" : null;
    }

    /** Without the troubles of single partitions, which are a part of their own. */
    private static @Nullable String consumers(WorkerStatus status) {
        String troubles = status.problems().stream()
                .filter(problem -> !problem.startsWith("Partition "))
                .collect(Collectors.joining("; "));
        return troubles.isEmpty() ? null : troubles;
    }

    /** Partitions that only an operator can help. */
    private static @Nullable String partitions(WorkerStatus status) {
        List<LaneStatus> stuck = status.lanes().stream()
                .filter(lane -> lane.waiting() == Waiting.GAP || lane.waiting() == Waiting.DEAD_LETTERS)
                .toList();
        return stuck.isEmpty()
                ? null
                : stuck.size() + " partitions handle nothing: "
                        + stuck.stream()
                                .limit(NAMED_PARTITIONS)
                                .map(WorkerHealth::named)
                                .collect(Collectors.joining(", "));
    }

    private static String named(LaneStatus lane) {
        String why = lane.waiting() == Waiting.GAP ? "gap" : "dead letters";
        return lane.partition() + " (" + why + (lane.lastError() == null ? "" : ": " + lane.lastError()) + ")";
    }
}
