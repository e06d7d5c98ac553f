package dev.sluice.server.outbox;

import dev.sluice.outbox.relay.RelayStatus;
import dev.sluice.server.http.HealthPart;
import dev.sluice.server.http.Json;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The four things an outbox relay needs: node registry, a valid assignment, its database, its receiver. */
final class OutboxHealth {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final OutboxRole role;

    OutboxHealth(OutboxRole role) {
        this.role = role;
    }

    List<HealthPart> parts() {
        RelayStatus status = role.relay().status();
        return List.of(
                part(
                        "registry",
                        status.members().isHealthy() ? null : status.members().sentence()),
                part("assignment", assignment(status)),
                part("database", database()),
                part(
                        role.config().sink().name().toLowerCase(Locale.ROOT),
                        status.notSending().orElse(null)));
    }

    private static HealthPart part(String name, @Nullable String trouble) {
        var answer = Json.object("name", name, "status", trouble == null ? "healthy" : "failed");
        if (trouble != null) {
            answer.put("reason", Json.value(trouble));
        }
        return new HealthPart(HealthPart.Kind.OUTBOX, trouble == null, answer);
    }

    private static @Nullable String assignment(RelayStatus status) {
        var members = status.members();
        if (members.partitions() == 0) {
            return "partitions are not given out yet";
        }
        if (members.changing()) {
            return "the number of claims is being changed: nobody sends meanwhile";
        }
        return members.withoutOwner().isEmpty()
                ? null
                : "nobody sends partitions " + members.withoutOwner().keySet();
    }

    private @Nullable String database() {
        try (var connection = role.source().getConnection()) {
            return connection.isValid((int) PATIENCE.toSeconds()) ? null : "it does not answer";
        } catch (SQLException away) {
            return String.valueOf(away.getMessage());
        }
    }
}
