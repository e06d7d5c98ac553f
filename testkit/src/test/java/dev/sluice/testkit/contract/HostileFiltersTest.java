package dev.sluice.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.match.Matcher;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.Places;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.GatewayLeases;
import dev.sluice.subscribe.GatewayRegistry;
import dev.sluice.subscribe.Homes;
import dev.sluice.subscribe.InMemorySubscriptions;
import dev.sluice.subscribe.Registered;
import dev.sluice.subscribe.SubscriptionQuotas;
import dev.sluice.subscribe.SubscriptionRegistry;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A hundred thousand hostile filters at the registry: each is refused in a sentence or works, and nothing stays behind. */
@Timeout(120)
@Isolated("it looks at the heap")
class HostileFiltersTest {
    private static final int FILTERS = 100_000;
    private static final int AT_A_TIME = 500;
    private static final long MOST_HEAP_LEFT = 48L << 20;

    private final InMemorySubscriptions store = new InMemorySubscriptions();
    private final GatewayRegistry gateways = new GatewayRegistry(GatewayLeases.DEFAULT, store, System::nanoTime);
    private final SubscriptionRegistry registry = new SubscriptionRegistry(
            SubscriptionQuotas.DEFAULT,
            store,
            gateways,
            System::nanoTime,
            new Homes(Homes.Unclaimed.WAIT),
            () -> Places.OLDEST,
            InstantSource.system());

    @Test
    void areRefusedInASentenceOrWorkAndLeaveNothingBehind() {
        HostileFilters filters = new HostileFilters(5);
        registry.register(List.of(Subscription.of("good", "g", "", "c", "{\"a\":1}")));
        Matcher matcher = registry.matcher();
        long before = heap();
        long accepted = 0;
        for (int k = 0; k < FILTERS; k += AT_A_TIME) {
            accepted += registerSome(filters, matcher);
        }
        long left = heap() - before;
        System.out.printf("%d of %d hostile filters are valid; %d KiB of heap left%n", accepted, FILTERS, left >> 10);
        assertThat(accepted).as("some are valid, most are not").isBetween(FILTERS / 100L, FILTERS / 2L);
        assertThat(registry.size()).isEqualTo(1);
        assertThat(left).isLessThan(MOST_HEAP_LEFT);
    }

    private long registerSome(HostileFilters filters, Matcher matcher) {
        List<Subscription> batch = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (int k = 0; k < AT_A_TIME; k++) {
            String filter = filters.next();
            try {
                batch.add(Subscription.of("hostile-" + k, "h", "", "c", filter));
                ids.add("hostile-" + k);
            } catch (InvalidInputException tooLong) {
                assertThat(tooLong).hasMessageContaining("65536 characters");
            }
        }
        Registered registered = registry.register(batch);
        registered
                .refusals()
                .forEach(refusal -> assertThat(refusal.reason())
                        .as(refusal.id())
                        .isNotBlank()
                        .hasSizeLessThan(300)
                        .doesNotContainPattern("\\p{Cntrl}|[a-z]Exception|Error:|StackOverflow"));
        List<String> matched = new ArrayList<>();
        matcher.match(event(), (subscription, kind) -> matched.add(subscription.id()));
        assertThat(matched).contains("good");
        registry.remove(ids);
        return registered.accepted();
    }

    private static ChangeEvent event() {
        BsonDocument document = BsonDocument.parse(
                "{\"_id\":1,\"a\":[1,\"\",null,{\"b\":1,\"a\":[{}]},[1]],\"f1\":7,\"\":0,\" \":{\"a\":{\"$numberDecimal\":\"1\"}}}");
        return new ChangeEvent(
                new EventId(ClusterTime.of(1, 1), 1),
                "main",
                Operation.INSERT,
                "",
                "c",
                DocumentId.of(new BsonInt32(1)),
                RawBson.of(document),
                null,
                1,
                OptionalLong.empty(),
                false);
    }

    private static long heap() {
        for (int k = 0; k < 3; k++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
