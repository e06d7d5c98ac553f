package dev.sluice.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordTableTest {
    @Test
    void behavesLikeAMapWithManySetsOrOne() {
        for (int bits : new int[] {0, 3, 10}) {
            for (long seed = 0; seed < 20; seed++) {
                compare(new RecordTable(bits), new Random(seed));
            }
        }
    }

    /** Few hashes, so that many stand in each other's way. */
    private static void compare(RecordTable table, Random random) {
        Map<String, SubscriptionRecord> model = new HashMap<>();
        for (int k = 0; k < 3000; k++) {
            String id = clashing(random.nextInt(300));
            if (random.nextInt(3) > 0) {
                SubscriptionRecord record = record(id, k);
                table.put(record);
                model.put(id, record);
            } else {
                table.remove(id);
                model.remove(id);
            }
            assertThat(table.find(id)).isSameAs(model.get(id));
        }
        assertThat(table.size()).isEqualTo(model.size());
        Map<String, SubscriptionRecord> all = new HashMap<>();
        table.forEach(each -> assertThat(all.put(each.id(), each)).isNull());
        assertThat(all).isEqualTo(model);
        model.forEach((id, record) -> assertThat(table.find(id)).isSameAs(record));
    }

    /** "Aa" and "BB" have the same hash, and so have all texts made of them. */
    private static String clashing(int number) {
        StringBuilder id = new StringBuilder();
        for (int bit = 0; bit < 4; bit++) {
            id.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return id.append(number >> 4).toString();
    }

    private static SubscriptionRecord record(String id, int revision) {
        return new SubscriptionRecord(
                Subscription.of(id, "g", "t", "c", "{}"),
                new Home.Gateway("g"),
                1,
                revision,
                Places.OLDEST,
                List.of(),
                0);
    }
}
