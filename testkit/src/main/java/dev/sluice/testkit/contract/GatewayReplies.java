package dev.sluice.testkit.contract;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.DeliveryReply;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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
        List<String> rejections = new ArrayList<>();
        List<String> retries = new ArrayList<>();
        List<Integer> unknown = new ArrayList<>();
        for (int k = 0; k < outcomes.size(); k++) {
            switch (outcomes.get(k)) {
                case EventOutcome.Delivered has -> {}
                case EventOutcome.NotHeld nobody -> unknown.add(k);
                case EventOutcome.Rejected no -> rejections.add(of(k, no.reason()) + "}");
                case EventOutcome.RetryLater later ->
                    retries.add(of(k, later.reason()) + ",\"broke\":" + later.eventMayBeToBlame() + "}");
            }
        }
        int accepted = outcomes.size() - rejections.size() - retries.size();
        return "{\"accepted\":" + accepted + ",\"rejections\":" + rejections + ",\"retries\":" + retries
                + ",\"unknown\":" + unknown + "}";
    }

    private static String of(int index, String reason) {
        StringBuilder json = new StringBuilder("{\"index\":").append(index).append(",\"reason\":");
        JsonText.quote(reason, json);
        return json.toString();
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
