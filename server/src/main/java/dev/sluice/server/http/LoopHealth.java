package dev.sluice.server.http;

import dev.sluice.run.LoopFailure;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the background loops of a process say of its health. A loop whose last step failed is a part of {@code /health} that
 * is not healthy; one that fails steadily or has ended makes {@code /livez} fail, so that an orchestrator restarts the
 * process.
 */
public final class LoopHealth {
    /** A loop that has failed for this long without one good step is not expected to recover. */
    static final Duration STEADY = Duration.ofMinutes(1);

    private final Loops loops;

    public LoopHealth(Loops loops) {
        this.loops = loops;
    }

    List<HealthPart> parts() {
        return loops.failing().stream().map(LoopHealth::part).toList();
    }

    private static HealthPart part(LoopFailure failure) {
        return new HealthPart(
                HealthPart.Kind.LOOPS,
                false,
                Json.object(
                        "name", failure.loop(),
                        "status", failure.ended() ? "ended" : "failing",
                        "failures", failure.failures(),
                        "failingSeconds", failure.lasting().toSeconds(),
                        "reason", String.valueOf(failure.cause())));
    }

    /** Why the process does not work any more, in one line; empty while it does. */
    Optional<String> deadLoop() {
        return loops.failing().stream()
                .filter(failure -> failure.ended() || failure.lasting().compareTo(STEADY) >= 0)
                .map(LoopFailure::text)
                .findFirst();
    }
}
