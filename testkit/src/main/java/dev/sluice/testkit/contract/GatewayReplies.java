package dev.sluice.testkit.contract;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.DeliveryReply;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

/** Writes what {@link DeliveryReply} reads, as a gateway does. */
public final class GatewayReplies {
    private GatewayReplies() {}

    public static byte[] write(BatchOutcome outcome, int events) {
        String json = switch (outcome) {
            case BatchOutcome.Delivered all -> accepted(Collections.nCopies(events, EventOutcome.DELIVERED));
            case BatchOutcome.PerEvent some -> accepted(some.outcomes());
            case BatchOutcome.RetryLater later -> retry(later);
            case BatchOutcome.Refused refused -> said("refused", refused.reason());
            case BatchOutcome.Fenced fenced -> said("fenced", fenced.reason());
        };
        return json.getBytes(StandardCharsets.UTF_8);
    }

    private static String accepted(List<EventOutcome> outcomes) {
        StringBuilder rejections = new StringBuilder();
        int rejected = 0;
        for (int k = 0; k < outcomes.size(); k++) {
            if (outcomes.get(k) instanceof EventOutcome.RetryLater later) {
                return said("retry", later.reason());
            }
            if (outcomes.get(k) instanceof EventOutcome.Rejected no) {
                rejections.append(rejected++ == 0 ? "{\"index\":" : ",{\"index\":");
                rejections.append(k).append(",\"reason\":");
                JsonText.quote(no.reason(), rejections);
                rejections.append('}');
            }
        }
        return "{\"accepted\":" + (outcomes.size() - rejected) + ",\"rejections\":[" + rejections + "]}";
    }

    private static String retry(BatchOutcome.RetryLater later) {
        String said = said("retry", later.reason());
        return later.after()
                .map(wait -> said.substring(0, said.length() - 1) + ",\"retryAfter\":" + wait.toSeconds() + '}')
                .orElse(said);
    }

    private static String said(String what, String reason) {
        StringBuilder json = new StringBuilder("{\"").append(what).append("\":");
        JsonText.quote(reason, json);
        return json.append('}').toString();
    }
}
