package dev.sluice.deliver;

import dev.sluice.model.Subscription;
import java.util.List;

/** Writes {@link Introductions} as members of a delivery's body, each with a comma behind it; none where there are none. */
final class IntroductionsJson {
    private IntroductionsJson() {}

    static String of(Introductions introductions) {
        StringBuilder json = new StringBuilder();
        List<Subscription> told = introductions.subscriptions();
        for (int k = 0; k < told.size(); k++) {
            definition(told.get(k), json.append(k == 0 ? "\"subscriptions\":[" : ","));
        }
        json.append(told.isEmpty() ? "" : "],");
        List<String> before = introductions.toldBefore();
        for (int k = 0; k < before.size(); k++) {
            JsonText.quote(before.get(k), json.append(k == 0 ? "\"toldBefore\":[" : ","));
        }
        return json.append(before.isEmpty() ? "" : "],").toString();
    }

    /** The names of the control plane; the filter as its text. */
    private static void definition(Subscription subscription, StringBuilder json) {
        JsonText.quote(subscription.id(), json.append("{\"id\":"));
        member(",\"gatewayId\":", subscription.gatewayId(), json);
        member(",\"tenant\":", subscription.tenant(), json);
        member(",\"collection\":", subscription.collection(), json);
        subscription.documentId().ifPresent(id -> member(",\"documentId\":", id, json));
        member(",\"filter\":", subscription.filter(), json);
        member(",\"priority\":", subscription.priority().text(), json);
        member(",\"ttl\":", subscription.ttl().toSeconds() + "s", json);
        json.append(",\"failover\":").append(subscription.failover());
        json.append(",\"transitions\":").append(subscription.transitions()).append('}');
    }

    private static void member(String name, String value, StringBuilder json) {
        JsonText.quote(value, json.append(name));
    }
}
