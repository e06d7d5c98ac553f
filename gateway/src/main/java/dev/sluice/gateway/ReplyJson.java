package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.JsonText;
import dev.sluice.deliver.Reason;
import java.util.List;

/** Writes what {@link dev.sluice.deliver.DeliveryReply} reads. */
final class ReplyJson {
    /** What a Streamer reads at most is a mebibyte: a quarter, as a character takes up to four. */
    private static final int ROOM = 256 << 10;

    private ReplyJson() {}

    /** @param events how many the batch has */
    static String of(BatchOutcome outcome, int events) {
        return switch (outcome) {
            case BatchOutcome.Delivered all -> accepted(events, List.of());
            case BatchOutcome.PerEvent some -> accepted(events, some.outcomes());
            case BatchOutcome.Fenced fenced -> said("fenced", fenced.reason());
            case BatchOutcome.Refused refused -> said("refused", refused.reason());
            case BatchOutcome.RetryLater later -> said("retry", later.reason());
        };
    }

    private static String accepted(int events, List<EventOutcome> outcomes) {
        StringBuilder rejections = new StringBuilder();
        int rejected = 0;
        for (int k = 0; k < outcomes.size(); k++) {
            if (outcomes.get(k) instanceof EventOutcome.Rejected no) {
                rejections
                        .append(rejected++ == 0 ? "{\"index\":" : ",{\"index\":")
                        .append(k);
                String reason = rejections.length() < ROOM ? Reason.brief(no.reason()) : "…";
                JsonText.quote(reason, rejections.append(",\"reason\":"));
                rejections.append('}');
            }
        }
        return "{\"accepted\":" + (events - rejected) + ",\"rejections\":[" + rejections + "]}";
    }

    private static String said(String what, String reason) {
        StringBuilder json = new StringBuilder("{\"").append(what).append("\":");
        JsonText.quote(reason, json);
        return json.append('}').toString();
    }
}
