package dev.sluice.server.puller;

import java.time.Duration;
import java.util.List;

/** The answer of {@code GET /health}: any part that is not healthy degrades the whole, half or more make it unhealthy. */
public record HealthReport(Status status, Duration uptime, String version, List<BackendHealth> backends) {

    /** Of the whole. */
    public enum Status {
        HEALTHY,
        DEGRADED,
        UNHEALTHY
    }

    static HealthReport of(List<BackendHealth> backends, Duration uptime, String version) {
        var ill = backends.stream().filter(backend -> !backend.isHealthy()).count();
        var status = ill == 0 ? Status.HEALTHY : 2 * ill >= backends.size() ? Status.UNHEALTHY : Status.DEGRADED;
        return new HealthReport(status, uptime, version, backends);
    }
}
