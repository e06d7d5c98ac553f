package dev.sluice.server.http;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.bson.BsonDocument;

/** The answer of {@code GET /health}: any part that is not healthy degrades the whole, half or more make it unhealthy. */
public record HealthReport(Status status, Duration uptime, String version, List<HealthPart> parts) {

    /** Of the whole. */
    public enum Status {
        HEALTHY,
        DEGRADED,
        UNHEALTHY
    }

    public static HealthReport of(List<HealthPart> parts, Duration uptime, String version) {
        var ill = parts.stream().filter(part -> !part.healthy()).count();
        var status = ill == 0 ? Status.HEALTHY : 2 * ill >= parts.size() ? Status.UNHEALTHY : Status.DEGRADED;
        return new HealthReport(status, uptime, version, parts);
    }

    /** Status, uptime and version. */
    BsonDocument summary() {
        return Json.object(
                "status", status.name().toLowerCase(Locale.ROOT),
                "uptimeSeconds", uptime.toSeconds(),
                "version", version);
    }

    BsonDocument json() {
        var answer = summary();
        for (var kind : HealthPart.Kind.values()) {
            var ofKind = parts.stream().filter(part -> part.kind() == kind).toList();
            if (kind.isAlwaysListed() || !ofKind.isEmpty()) {
                answer.put(kind.key(), Json.array(ofKind, HealthPart::answer));
            }
        }
        return answer;
    }
}
