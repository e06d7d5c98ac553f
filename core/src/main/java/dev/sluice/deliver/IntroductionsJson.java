package dev.sluice.deliver;

import dev.sluice.json.JsonBuffer;
import dev.sluice.model.Subscription;
import java.util.List;

/** Writes {@link Introductions} as members of a delivery's body, each with a comma behind it; none where there are none. */
final class IntroductionsJson {
    private IntroductionsJson() {}

    static void append(Introductions introductions, JsonBuffer json) {
        List<Subscription> told = introductions.subscriptions();
        for (int k = 0; k < told.size(); k++) {
            definition(told.get(k), json.ascii(k == 0 ? "\"subscriptions\":[" : ","));
        }
        json.ascii(told.isEmpty() ? "" : "],");
        List<String> before = introductions.toldBefore();
        for (int k = 0; k < before.size(); k++) {
            json.ascii(k == 0 ? "\"toldBefore\":[" : ",").quote(before.get(k));
        }
        json.ascii(before.isEmpty() ? "" : "],");
    }

    /** The names of the control plane; the filter as its text. */
    private static void definition(Subscription subscription, JsonBuffer json) {
        json.ascii("{\"id\":").quote(subscription.id());
        json.ascii(",\"gatewayId\":").quote(subscription.gatewayId());
        json.ascii(",\"tenant\":").quote(subscription.tenant());
        json.ascii(",\"collection\":").quote(subscription.collection());
        subscription.documentId().ifPresent(id -> json.ascii(",\"documentId\":").quote(id));
        json.ascii(",\"filter\":").quote(subscription.filter());
        json.ascii(",\"priority\":").quote(subscription.priority().text());
        json.ascii(",\"ttl\":").quote(subscription.ttl().toSeconds() + "s");
        json.ascii(",\"failover\":").bool(subscription.failover());
        json.ascii(",\"transitions\":").bool(subscription.transitions()).ascii("}");
    }
}
