package dev.sluice.gateway.web;

import dev.sluice.gateway.JsonScan;
import org.jspecify.annotations.Nullable;

/**
 * A message from a WebSocket client. Members this gateway does not know are skipped, so that newer clients can say more.
 *
 * @param op {@code hello}, {@code subscribe} or {@code unsubscribe}
 * @param id the client's own name for a subscription
 * @param version of the protocol, as JSON; empty where the message names none
 * @param lastEventId the resume id; empty: from now on; null: the message does not have the member, as in version 0
 */
record SocketRequest(
        String op,
        String id,
        String version,
        String tenant,
        String collection,
        String filter,
        @Nullable String lastEventId) {

    /** @throws dev.sluice.model.InvalidInputException saying where the text is no such message */
    static SocketRequest read(String text) {
        JsonScan scan = new JsonScan(text);
        Members members = new Members();
        scan.object(name -> members.read(name, scan));
        scan.end();
        return members.request();
    }

    private static final class Members {
        private String op = "";
        private String id = "";
        private String version = "";
        private String tenant = "";
        private String collection = "";
        private String filter = "";
        private @Nullable String lastEventId;

        void read(String name, JsonScan scan) {
            switch (name) {
                case "op" -> op = scan.string();
                case "id" -> id = scan.string();
                case "version" -> version = scan.raw();
                case "tenant" -> tenant = text(scan);
                case "collection" -> collection = scan.string();
                case "filter" -> filter = text(scan);
                case "lastEventId" -> lastEventId = text(scan);
                default -> scan.raw();
            }
        }

        /** Text is taken as it is, anything else as JSON: a filter is an object, or its text. */
        private static String text(JsonScan scan) {
            if (scan.isNull()) {
                return "";
            }
            return scan.isString() ? scan.string() : scan.raw();
        }

        SocketRequest request() {
            return new SocketRequest(op, id, version, tenant, collection, filter, lastEventId);
        }
    }
}
