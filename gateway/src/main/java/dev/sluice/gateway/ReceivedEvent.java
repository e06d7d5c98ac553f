package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.JsonText;
import java.util.Optional;

/**
 * A change that answers a subscription.
 *
 * @param subscriptionId which one
 * @param type what happened; {@code RESYNC}: changes are missing, read the source's current state again
 * @param eventId the same whenever and by whomever the change is delivered
 * @param tenant empty where it is not known
 * @param documentId empty for events that concern no single document
 * @param document MongoDB's relaxed extended JSON; empty for deletes, and where it was gone when it was looked up
 * @param updateDescription what an update changed, as JSON
 * @param timestamp milliseconds since 1970 by the source's clock
 * @param lookup the document may be ahead of the event, never behind
 * @param redelivery it may have been delivered before
 * @param progress a marker that loses nothing for this subscription when it goes on from it; empty where that is not known
 */
public record ReceivedEvent(
        String subscriptionId,
        EventType type,
        String eventId,
        String tenant,
        String collection,
        String documentId,
        Optional<String> document,
        Optional<String> updateDescription,
        long timestamp,
        boolean lookup,
        boolean redelivery,
        String progress) {

    /** What the gateway itself tells a subscription whose changes can no longer be had. */
    static ReceivedEvent resync(String subscriptionId, String tenant, String collection, long now) {
        return new ReceivedEvent(
                subscriptionId,
                EventType.RESYNC,
                "",
                tenant,
                collection,
                "",
                Optional.empty(),
                Optional.empty(),
                now,
                false,
                false,
                "");
    }

    /** The same, told to another subscription of this gateway. */
    ReceivedEvent toldTo(String other) {
        return with(other, "");
    }

    /** The same with another marker. */
    ReceivedEvent withProgress(String marker) {
        return marker.equals(progress) ? this : with(subscriptionId, marker);
    }

    private ReceivedEvent with(String subscription, String marker) {
        return new ReceivedEvent(
                subscription,
                type,
                eventId,
                tenant,
                collection,
                documentId,
                document,
                updateDescription,
                timestamp,
                lookup,
                redelivery,
                marker);
    }

    /** The object {@code event} of a delivery over HTTP. */
    public String json() {
        StringBuilder json =
                new StringBuilder(256 + document.map(String::length).orElse(0));
        member(json, "{\"id\":", eventId);
        member(json, ",\"type\":", type.text());
        member(json, ",\"tenant\":", tenant);
        member(json, ",\"collection\":", collection);
        member(json, ",\"documentId\":", documentId);
        json.append(",\"document\":").append(document.orElse("null"));
        json.append(",\"updateDescription\":").append(updateDescription.orElse("null"));
        json.append(",\"timestamp\":").append(timestamp);
        return json.append(",\"lookup\":").append(lookup).append('}').toString();
    }

    private static void member(StringBuilder json, String name, String value) {
        JsonText.quote(value, json.append(name));
    }
}
