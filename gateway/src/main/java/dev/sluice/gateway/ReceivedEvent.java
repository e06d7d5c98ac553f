package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.JsonText;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A change that answers a subscription. */
public final class ReceivedEvent {
    private final String subscriptionId;
    private final Change change;
    private final boolean redelivery;
    private final String progress;
    private final String resumeId;

    /** The parameters are documented at the methods of their names. */
    public ReceivedEvent(
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
        this(
                subscriptionId,
                new Change(new Change.Content(
                        type, eventId, tenant, collection, documentId, document, updateDescription, timestamp, lookup)),
                redelivery,
                progress);
    }

    /** @param change may be shared with the events of other subscriptions */
    ReceivedEvent(String subscriptionId, Change change, boolean redelivery, String progress) {
        this(subscriptionId, change, redelivery, progress, progress);
    }

    private ReceivedEvent(String subscriptionId, Change change, boolean redelivery, String progress, String resumeId) {
        this.resumeId = resumeId;
        this.subscriptionId = subscriptionId;
        this.change = change;
        this.redelivery = redelivery;
        this.progress = progress;
    }

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
        return new ReceivedEvent(other, change, redelivery, "");
    }

    /** The same with another marker. */
    ReceivedEvent withProgress(String marker) {
        return marker.equals(progress) ? this : new ReceivedEvent(subscriptionId, change, redelivery, marker);
    }

    /** The same with what an end user goes on from, and the marker of that. */
    ReceivedEvent withResumeId(String marker, String id) {
        return new ReceivedEvent(subscriptionId, change, redelivery, marker, id);
    }

    /** The id of the subscription. */
    public String subscriptionId() {
        return subscriptionId;
    }

    /** What happened; {@code RESYNC}: changes are missing, read the source's current state again. */
    public EventType type() {
        return change.content().type();
    }

    /** The id of the change: the same for every subscription and in every delivery. */
    public String eventId() {
        return change.content().eventId();
    }

    /** The tenant; empty where it is not known. */
    public String tenant() {
        return change.content().tenant();
    }

    public String collection() {
        return change.content().collection();
    }

    /** The id of the document; empty for events that concern no single document. */
    public String documentId() {
        return change.content().documentId();
    }

    /** MongoDB's relaxed extended JSON; empty for deletes, and where the document was gone when it was looked up. */
    public Optional<String> document() {
        return change.content().document();
    }

    /** What an update changed, as JSON. */
    public Optional<String> updateDescription() {
        return change.content().updateDescription();
    }

    /** Milliseconds since 1970 by the source's clock. */
    public long timestamp() {
        return change.content().timestamp();
    }

    /** Whether the document was looked up: it may be ahead of the event, never behind. */
    public boolean lookup() {
        return change.content().lookup();
    }

    /** Whether the event may have been delivered before. */
    public boolean redelivery() {
        return redelivery;
    }

    /** A marker that loses nothing for this subscription when it goes on from it; empty where that is not known. */
    public String progress() {
        return progress;
    }

    /** The text of a {@link ResumeId}: {@link #progress} and what this subscription has got beyond it; empty as that is. */
    public String resumeId() {
        return resumeId;
    }

    /** A hash of the event id and the type. */
    long mark() {
        return change.mark();
    }

    /**
     * Returns what the function makes of this change. The result is kept with the change, so that the function is called once
     * for all subscriptions that get the change in one batch.
     *
     * @param maker must not look at the subscription's id, the marker and {@link #redelivery}, which are not shared
     */
    public <T> T derived(Class<T> kind, Function<ReceivedEvent, T> maker) {
        return change.derived(kind, () -> maker.apply(this));
    }

    /** The object {@code event} of a delivery over HTTP. */
    public String json() {
        StringBuilder json =
                new StringBuilder(256 + document().map(String::length).orElse(0));
        member(json, "{\"id\":", eventId());
        member(json, ",\"type\":", type().text());
        member(json, ",\"tenant\":", tenant());
        member(json, ",\"collection\":", collection());
        member(json, ",\"documentId\":", documentId());
        json.append(",\"document\":").append(document().orElse("null"));
        json.append(",\"updateDescription\":").append(updateDescription().orElse("null"));
        json.append(",\"timestamp\":").append(timestamp());
        return json.append(",\"lookup\":").append(lookup()).append('}').toString();
    }

    private static void member(StringBuilder json, String name, String value) {
        JsonText.quote(value, json.append(name));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ReceivedEvent event
                && subscriptionId.equals(event.subscriptionId)
                && change.content().equals(event.change.content())
                && redelivery == event.redelivery
                && progress.equals(event.progress)
                && resumeId.equals(event.resumeId);
    }

    @Override
    public int hashCode() {
        return Objects.hash(subscriptionId, change.content(), redelivery, progress);
    }

    @Override
    public String toString() {
        return "ReceivedEvent[subscriptionId=" + subscriptionId + ", change=" + change.content() + ", redelivery="
                + redelivery + ", progress=" + progress + ']';
    }
}
