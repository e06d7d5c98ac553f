package dev.sluice.deliver;

import dev.sluice.json.JsonBuffer;
import java.util.List;

/** Writes {@link Passed} as the member {@code passed} of a delivery's body, with a comma behind it; nothing where there are none. */
final class PassedJson {
    private PassedJson() {}

    static void append(List<Passed> passed, JsonBuffer json) {
        for (int k = 0; k < passed.size(); k++) {
            object(passed.get(k), json.ascii(k == 0 ? "\"passed\":[" : ","));
        }
        json.ascii(passed.isEmpty() ? "" : "],");
    }

    private static void object(Passed passed, JsonBuffer json) {
        json.ascii("{\"generation\":").number(passed.generation());
        json.ascii(",\"partitions\":").number(passed.partitions());
        json.ascii(",\"partitionId\":").number(passed.partition());
        json.ascii(",\"marker\":").quote(passed.marker().encode());
        json.ascii(",\"revision\":").number(passed.revision());
        json.ascii(",\"except\":").quoteAll(passed.except()).ascii("}");
    }
}
