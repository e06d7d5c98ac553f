package dev.sluice.server.cli;

import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.server.http.Json;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/** One event as one line. */
interface EventLines {
    String of(Event event);

    /** For machines: everything, documents as relaxed extended JSON. */
    static EventLines json() {
        return event -> Json.text(Json.object(
                "id", event.getId(),
                "operation", event.getOperationType(),
                "backend", event.getBackend(),
                "tenant", event.getTenant(),
                "collection", event.getCollection(),
                "documentId", event.getDocumentId(),
                "document", parsed(event.getFullDocument().toStringUtf8()),
                "updateDescription", parsed(event.getUpdateDescription().toStringUtf8()),
                "documentBeforeChange",
                        parsed(event.getFullDocumentBeforeChange().toStringUtf8()),
                "timestamp", event.getTimestamp(),
                "lookup", event.getLookup(),
                "progress", event.getProgress()));
    }

    private static BsonValue parsed(String json) {
        return json.isEmpty() ? BsonNull.VALUE : BsonDocument.parse(json);
    }

    /** For people. */
    static EventLines readable(boolean colour) {
        return new Readable(colour);
    }

    /** For people with little room: operation, where, and what changed. */
    static EventLines brief(int width) {
        return event -> Readable.cut(
                String.format("%-7s", event.getOperationType()) + " " + where(event) + "  " + changes(event), width);
    }

    private static String where(Event event) {
        return event.getCollection() + (event.getDocumentId().isEmpty() ? "" : "/" + event.getDocumentId());
    }

    /** What changed says more than the whole document. */
    private static String changes(Event event) {
        if (event.getUpdateDescription().isEmpty()) {
            return event.getFullDocument().toStringUtf8();
        }
        var description = BsonDocument.parse(event.getUpdateDescription().toStringUtf8());
        var set = description.getDocument("updatedFields", new BsonDocument());
        var removed = description.getArray("removedFields", new BsonArray());
        return Json.text(set) + (removed.isEmpty() ? "" : " without " + removed.getValues());
    }

    /** Time, operation, where, and as much of the document as fits. */
    record Readable(boolean colour) implements EventLines {
        private static final int WIDTH = 120;
        private static final DateTimeFormatter TIME =
                DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

        @Override
        public String of(Event event) {
            var time = TIME.format(Instant.ofEpochMilli(event.getTimestamp()));
            var operation = paint(event.getOperationType(), String.format("%-10s", event.getOperationType()));
            var tenant = event.getTenant().isEmpty() ? "" : " [" + event.getTenant() + "]";
            return dim(time) + "  " + operation + " " + dim(event.getBackend() + " ") + where(event) + tenant + "  "
                    + dim(cut(changes(event), WIDTH));
        }

        private static String cut(String text, int width) {
            return text.length() <= width ? text : text.substring(0, width - 1) + "…";
        }

        private String paint(String operation, String text) {
            var code = switch (operation) {
                case "insert" -> "32";
                case "update", "replace" -> "33";
                case "delete" -> "31";
                default -> "35;1";
            };
            return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
        }

        private String dim(String text) {
            return colour && !text.isBlank() ? "\u001b[2m" + text + "\u001b[0m" : text;
        }
    }
}
