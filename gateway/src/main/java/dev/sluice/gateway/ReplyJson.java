package dev.sluice.gateway;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.JsonText;
import dev.sluice.deliver.Reason;
import java.util.List;

/** Writes what {@link dev.sluice.deliver.DeliveryReply} reads. */
final class ReplyJson {
    /** What a Streamer reads at most is a mebibyte; of each list an eighth, as a character takes up to four bytes. */
    private static final int ROOM = 128 << 10;

    private ReplyJson() {}

    /** @param events how many the batch has */
    static String of(BatchOutcome outcome, int events) {
        return switch (outcome) {
            case BatchOutcome.Delivered all -> accepted(events, List.of());
            case BatchOutcome.PerEvent some -> accepted(events, some.outcomes());
            case BatchOutcome.Fenced fenced -> said("fenced", fenced.reason(), "");
            case BatchOutcome.Refused refused -> said("refused", refused.reason(), "");
            case BatchOutcome.RetryLater later ->
                said("retry", later.reason(), later.eventMayBeToBlame() ? ",\"broke\":true" : "");
        };
    }

    private static String accepted(int events, List<EventOutcome> outcomes) {
        StringBuilder rejections = new StringBuilder();
        StringBuilder retries = new StringBuilder();
        StringBuilder unknown = new StringBuilder();
        int missing = 0;
        for (int k = 0; k < outcomes.size(); k++) {
            switch (outcomes.get(k)) {
                case EventOutcome.Delivered has -> {}
                case EventOutcome.NotHeld nobody ->
                    unknown.append(unknown.isEmpty() ? "" : ",").append(k);
                case EventOutcome.Rejected no -> {
                    missing++;
                    add(rejections, k, no.reason()).append('}');
                }
                case EventOutcome.RetryLater later -> {
                    missing++;
                    add(retries, k, later.reason()).append(later.eventMayBeToBlame() ? ",\"broke\":true}" : "}");
                }
            }
        }
        return "{\"accepted\":" + (events - missing) + ",\"rejections\":[" + rejections + "]"
                + (retries.isEmpty() ? "" : ",\"retries\":[" + retries + "]")
                + (unknown.isEmpty() ? "}" : ",\"unknown\":[" + unknown + "]}");
    }

    private static StringBuilder add(StringBuilder to, int index, String why) {
        to.append(to.isEmpty() ? "{\"index\":" : ",{\"index\":").append(index).append(",\"reason\":");
        JsonText.quote(to.length() < ROOM ? Reason.brief(why) : "…", to);
        return to;
    }

    private static String said(String what, String reason, String more) {
        StringBuilder json = new StringBuilder("{\"").append(what).append("\":");
        JsonText.quote(reason, json);
        return json.append(more).append('}').toString();
    }
}
