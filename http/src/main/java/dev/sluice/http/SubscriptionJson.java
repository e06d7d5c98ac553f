package dev.sluice.http;

import dev.sluice.deliver.JsonText;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;

/** A subscription as a JSON object, field by field. What is not a field, or not of its type, is refused by name. */
final class SubscriptionJson {
    /** A filter and a marker of the greatest length, whatever they are made of. */
    private static final int LARGEST = 1 << 20;

    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final JsonWriterSettings PLAIN =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    private String id = "";
    private String gatewayId = "";
    private String tenant = "";
    private String collection = "";
    private @Nullable String documentId;
    private String filter = "{}";
    private Priority priority = Priority.NORMAL;
    private Duration ttl = Subscription.DEFAULT_TTL;
    private @Nullable ProgressMarker from;
    private boolean failover;
    private boolean transitions;

    private SubscriptionJson() {}

    /** @throws InvalidInputException with a sentence for whoever sent it */
    static Subscription read(BsonValue item) {
        SubscriptionJson json = new SubscriptionJson();
        for (Map.Entry<String, BsonValue> field : object(item).entrySet()) {
            if (!field.getValue().isNull()) {
                json.take(field.getKey(), field.getValue());
            }
        }
        return new Subscription(
                json.id,
                json.gatewayId,
                json.tenant,
                json.collection,
                Optional.ofNullable(json.documentId),
                json.filter,
                json.priority,
                json.ttl,
                Optional.ofNullable(json.from),
                json.failover,
                json.transitions);
    }

    /** The id it claims to have, for a refusal; empty when it says none. */
    static String idOf(BsonValue item) {
        if (!(item instanceof RawBsonDocument document)
                || document.getByteBuffer().remaining() > LARGEST) {
            return "";
        }
        BsonValue id = document.get("id");
        return id == null || !id.isString() ? "" : id.asString().getValue();
    }

    private static BsonDocument object(BsonValue item) {
        if (!(item instanceof RawBsonDocument document)) {
            throw new InvalidInputException("a subscription is a JSON object");
        }
        if (document.getByteBuffer().remaining() > LARGEST) {
            throw new InvalidInputException(
                    "a subscription is not that large: its filter has at most 65536 characters");
        }
        return document;
    }

    private void take(String name, BsonValue value) {
        switch (name) {
            case "id" -> id = text(name, value);
            case "gatewayId" -> gatewayId = text(name, value);
            case "tenant" -> tenant = text(name, value);
            case "collection" -> collection = text(name, value);
            case "documentId" -> documentId = text(name, value);
            case "filter" -> filter = filter(value);
            case "priority" -> priority = Priority.parse(text(name, value));
            case "ttl" -> ttl = ttl(value);
            case "from" -> from = text(name, value).isEmpty() ? null : ProgressMarker.decode(text(name, value));
            case "failover" -> failover = truth(name, value);
            case "transitions" -> transitions = truth(name, value);
            default ->
                throw new InvalidInputException("a subscription has no field " + InvalidInputException.quote(name)
                        + "; it has id, gatewayId, tenant, collection, documentId, filter, priority, ttl, from,"
                        + " failover, transitions");
        }
    }

    private static String text(String name, BsonValue value) {
        if (!value.isString()) {
            throw new InvalidInputException("a subscription's " + name + " is a text");
        }
        return value.asString().getValue();
    }

    private static boolean truth(String name, BsonValue value) {
        if (!value.isBoolean()) {
            throw new InvalidInputException("a subscription's " + name + " is true or false");
        }
        return value.asBoolean().getValue();
    }

    /** As an object, or as its text. */
    private static String filter(BsonValue value) {
        if (value.isString()) {
            String text = value.asString().getValue();
            return text.isEmpty() ? "{}" : text;
        }
        if (!value.isDocument()) {
            throw new InvalidInputException("a subscription's filter is a JSON object, or its text");
        }
        return value.asDocument().toJson(PLAIN);
    }

    private static Duration ttl(BsonValue value) {
        if (value.isNumber()) {
            double seconds = value.asNumber().doubleValue();
            if (seconds != Math.rint(seconds) || Math.abs(seconds) > 1e9) {
                throw badTtl();
            }
            return Duration.ofSeconds((long) seconds);
        }
        Matcher matcher = DURATION.matcher(value.isString() ? value.asString().getValue() : "");
        if (!matcher.matches()) {
            throw badTtl();
        }
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
    }

    private static InvalidInputException badTtl() {
        return new InvalidInputException("a subscription's ttl is a number of seconds, or a duration such as \"300s\"");
    }

    static void write(Subscription subscription, StringBuilder to) {
        to.append("{\"id\":");
        JsonText.quote(subscription.id(), to);
        text("gatewayId", subscription.gatewayId(), to);
        text("tenant", subscription.tenant(), to);
        text("collection", subscription.collection(), to);
        subscription.documentId().ifPresent(id -> text("documentId", id, to));
        to.append(",\"filter\":")
                .append(RawBsonDocument.parse(subscription.filter()).toJson(PLAIN));
        text("priority", subscription.priority().text(), to);
        text("ttl", subscription.ttl().toSeconds() + "s", to);
        subscription.from().ifPresent(from -> text("from", from.encode(), to));
        to.append(",\"failover\":").append(subscription.failover());
        to.append(",\"transitions\":").append(subscription.transitions()).append('}');
    }

    private static void text(String name, String value, StringBuilder to) {
        to.append(",\"").append(name).append("\":");
        JsonText.quote(value, to);
    }
}
