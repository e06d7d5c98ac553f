package dev.sluice.server.puller;

import static java.time.temporal.ChronoUnit.SECONDS;

import dev.sluice.capture.CaptureState;
import dev.sluice.log.GroupCommit;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How one backend fares.
 *
 * @param status {@code healthy}, or what is wrong in one word
 * @param reason one sentence; empty when healthy, unless a reply takes long
 * @param lastEventTime by the source's clock; null before the first
 * @param lag null when nobody can say
 */
public record BackendHealth(
        String name,
        String status,
        String reason,
        @Nullable Instant lastEventTime,
        @Nullable Duration lag) {
    static final String HEALTHY = "healthy";
    /** A reply that takes longer than this is worth a word. */
    private static final Duration LONG_REPLY = Duration.ofSeconds(2);

    static BackendHealth of(BackendPipeline backend) {
        var capture = backend.capture();
        var status = capture.status().name().toLowerCase(Locale.ROOT);
        var reason = capture.reason();
        switch (backend.writing()) {
            case GroupCommit.Status.WaitingForSpace waiting -> {
                status = "waiting_for_space";
                reason = waiting.reason();
            }
            case GroupCommit.Status.Failed failed -> {
                status = "log_failed";
                reason = String.valueOf(failed.cause().getMessage());
            }
            case GroupCommit.Status.Running running -> {}
            case GroupCommit.Status.Closed closed -> {}
        }
        return new BackendHealth(
                backend.name(), status, remark(capture, status, reason), capture.lastEventTime(), capture.lag());
    }

    private static String remark(CaptureState capture, String status, String reason) {
        var waiting = capture.waiting();
        var isBehindOnly = status.equals(HEALTHY) || reason.isEmpty();
        if (isBehindOnly && waiting.compareTo(LONG_REPLY) > 0) {
            return "waiting for a reply of the source since "
                    + Instant.now().minus(waiting).truncatedTo(SECONDS)
                    + ": it reads its oplog for as long as the filter rejects what it finds";
        }
        return status.equals(HEALTHY) ? "" : reason;
    }

    static BackendHealth of(FailedBackend backend) {
        return new BackendHealth(backend.name(), FailedBackend.STATUS, backend.reason(), null, null);
    }

    boolean isHealthy() {
        return status.equals(HEALTHY);
    }
}
