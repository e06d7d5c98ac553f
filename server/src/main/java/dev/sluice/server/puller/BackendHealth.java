package dev.sluice.server.puller;

import dev.sluice.log.GroupCommit;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How one backend fares.
 *
 * @param status {@code healthy}, or what is wrong in one word
 * @param reason one sentence; empty when healthy
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
                backend.name(), status, status.equals(HEALTHY) ? "" : reason, capture.lastEventTime(), capture.lag());
    }

    static BackendHealth of(FailedBackend backend) {
        return new BackendHealth(backend.name(), FailedBackend.STATUS, backend.reason(), null, null);
    }

    boolean isHealthy() {
        return status.equals(HEALTHY);
    }
}
