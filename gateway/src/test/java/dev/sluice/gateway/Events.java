package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Priority;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Events as a Streamer sends them. */
final class Events {
    private Events() {}

    static Incoming event(String subscription, String document, long seq) {
        return event(subscription, document, seq, new FencingToken(1, 1));
    }

    static Incoming event(String subscription, String document, long seq, FencingToken token) {
        return event(subscription, document, seq, token, EventType.UPDATE, id(seq));
    }

    static Incoming event(
            String subscription, String document, long seq, FencingToken token, EventType type, String eventId) {
        String json = "{\"_id\": \"" + document + "\", \"n\": " + seq + "}";
        boolean has = type != EventType.DELETE && type != EventType.RESYNC;
        return new Incoming(
                new ReceivedEvent(
                        subscription,
                        type,
                        eventId,
                        "acme",
                        "orders",
                        document,
                        has ? Optional.of(json) : Optional.empty(),
                        Optional.empty(),
                        1000 + seq,
                        false,
                        false,
                        StandInStreamer.marker((int) seq)),
                seq,
                0,
                token,
                null);
    }

    static Incoming withProgress(Incoming incoming, String progress) {
        return with(incoming, progress, incoming.event().redelivery());
    }

    /** The same event, marked as one that may have been delivered before. */
    static Incoming redelivered(Incoming incoming) {
        return with(incoming, incoming.event().progress(), true);
    }

    private static Incoming with(Incoming incoming, String progress, boolean redelivery) {
        ReceivedEvent event = incoming.event();
        return new Incoming(
                new ReceivedEvent(
                        event.subscriptionId(),
                        event.type(),
                        event.eventId(),
                        event.tenant(),
                        event.collection(),
                        event.documentId(),
                        event.document(),
                        event.updateDescription(),
                        event.timestamp(),
                        event.lookup(),
                        redelivery,
                        progress),
                incoming.seq(),
                incoming.partition(),
                incoming.token(),
                incoming.standsFor());
    }

    /** As a Streamer sends it that tells the revision of the subscription, and the log. */
    static Incoming of(Incoming incoming, long revision, String log) {
        return new Incoming(
                incoming.event(),
                incoming.seq(),
                incoming.partition(),
                incoming.token(),
                incoming.standsFor(),
                revision,
                log);
    }

    static Incoming representative(Incoming incoming) {
        return representative(incoming, Priority.NORMAL);
    }

    static Incoming representative(Incoming incoming, Priority priority) {
        return new Incoming(incoming.event(), incoming.seq(), incoming.partition(), incoming.token(), priority);
    }

    static String id(long n) {
        return "7-%d-%016x".formatted(n, n);
    }

    /** The body of a delivery over HTTP and NATS, written independently of the code that reads it. */
    static String body(Incoming... batch) {
        return Stream.of(batch).map(Events::item).collect(Collectors.joining(",", "{\"events\":[", "]}"));
    }

    static String body(List<Incoming> batch) {
        return body(batch.toArray(Incoming[]::new));
    }

    private static String item(Incoming sent) {
        ReceivedEvent event = sent.event();
        return """
                {"subscriptionId":"%s","event":{"id":"%s","type":"%s","tenant":"%s","collection":"%s","documentId":"%s",
                "document":%s,"updateDescription":null,"timestamp":%d,"lookup":%b},"seq":%d,"partitionId":%d,
                "fencingToken":{"generation":%d,"epoch":%d},"redelivery":%b,"progress":"%s","representative":%b,"priority":"%s","revision":%d,"log":"%s","later":[{}]}""".formatted(
                        event.subscriptionId(),
                        event.eventId(),
                        event.type().text(),
                        event.tenant(),
                        event.collection(),
                        event.documentId(),
                        event.document().orElse("null"),
                        event.timestamp(),
                        event.lookup(),
                        sent.seq(),
                        sent.partition(),
                        sent.token().generation(),
                        sent.token().epoch(),
                        event.redelivery(),
                        event.progress(),
                        sent.standsFor() != null,
                        sent.standsFor() == null ? "high" : sent.standsFor().text(),
                        sent.revision(),
                        sent.log());
    }
}
