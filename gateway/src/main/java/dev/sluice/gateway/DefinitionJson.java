package dev.sluice.gateway;

import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one subscription that this gateway is told, member by member; what it does not know it passes over. */
final class DefinitionJson {
    private final JsonScan scan;
    private String id = "";
    private String gatewayId = "";
    private String tenant = "";
    private String collection = "";
    private @Nullable String documentId;
    private String filter = "{}";
    private Priority priority = Priority.NORMAL;
    private Duration ttl = Subscription.DEFAULT_TTL;
    private boolean failover;
    private boolean transitions;

    DefinitionJson(JsonScan scan) {
        this.scan = scan;
    }

    /** @throws InvalidInputException saying what is wrong with it */
    Subscription read() {
        scan.object(this::member);
        return new Subscription(
                id,
                gatewayId,
                tenant,
                collection,
                Optional.ofNullable(documentId),
                filter,
                priority,
                ttl,
                Optional.empty(),
                failover,
                transitions);
    }

    private void member(String name) {
        switch (name) {
            case "id" -> id = scan.string();
            case "gatewayId" -> gatewayId = scan.string();
            case "tenant" -> tenant = scan.string();
            case "collection" -> collection = scan.string();
            case "documentId" -> documentId = scan.isNull() ? null : scan.string();
            case "filter" -> filter = scan.isString() ? scan.string() : scan.raw();
            case "priority" -> priority = Priority.parse(scan.string());
            case "ttl" -> ttl = seconds(scan.string());
            case "failover" -> failover = scan.bool();
            case "transitions" -> transitions = scan.bool();
            default -> scan.raw();
        }
    }

    private static Duration seconds(String text) {
        if (!text.matches("\\d{1,6}s")) {
            throw new InvalidInputException("a subscription's ttl is like \"300s\"");
        }
        return Duration.ofSeconds(Long.parseLong(text.substring(0, text.length() - 1)));
    }
}
