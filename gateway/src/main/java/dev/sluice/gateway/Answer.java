package dev.sluice.gateway;

import dev.sluice.deliver.JsonText;
import java.util.List;

/** What the gateway says of a batch. */
sealed interface Answer {
    /** The application has all of it, but for what it rejected. */
    record Accepted(int accepted, List<Rejection> rejections) implements Answer {
        private String toJson() {
            StringBuilder json =
                    new StringBuilder("{\"accepted\":").append(accepted).append(",\"rejections\":[");
            String separator = "";
            for (Rejection rejection : rejections) {
                json.append(separator)
                        .append("{\"index\":")
                        .append(rejection.index)
                        .append(",\"reason\":");
                JsonText.quote(rejection.reason, json);
                json.append('}');
                separator = ",";
            }
            return json.append("]}").toString();
        }
    }

    /** The sender has been replaced. */
    record Fenced(String reason) implements Answer {}

    /** The batch is nothing this gateway can read. */
    record Refused(String reason) implements Answer {}

    /** Not now. What was handled is remembered, and not handled again. */
    record Retry(String reason) implements Answer {}

    /** @param index of the event in its batch, from 0 */
    record Rejection(int index, String reason) {}

    default String json() {
        return switch (this) {
            case Accepted accepted -> accepted.toJson();
            case Fenced fenced -> one("fenced", fenced.reason);
            case Refused refused -> one("refused", refused.reason);
            case Retry retry -> one("retry", retry.reason);
        };
    }

    private static String one(String name, String reason) {
        StringBuilder json = new StringBuilder("{\"").append(name).append("\":");
        JsonText.quote(reason, json);
        return json.append('}').toString();
    }
}
