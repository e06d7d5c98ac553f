package dev.sluice.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.jspecify.annotations.Nullable;

/** The index answers as asking every subscription would, whatever was added, replaced and removed before. */
class IndexPropertiesTest {
    private static final List<String> TENANTS = List.of("", "", "acme", "umbrella");
    private static final List<String> COLLECTIONS = List.of("orders", "orders", "users");
    private static final List<String> GATEWAYS = List.of("", "g1", "g2");
    private static final List<String> DOCUMENTS = List.of("d1", "d2", "d3");

    /** One random life of an index. */
    private static final class Life {
        private final Random random;
        private final RandomQueries queries;
        private final SubscriptionIndex index = new SubscriptionIndex();
        private final Matcher matcher = index.matcher();
        private final Map<String, Subscription> registered = new TreeMap<>();
        private final List<String> filters = new ArrayList<>();

        private Life(long seed) {
            random = new Random(seed);
            queries = new RandomQueries(random);
        }

        private void change() {
            String id = "s" + random.nextInt(60);
            Subscription earlier = registered.get(id);
            if (earlier == null) {
                add(id);
            } else if (random.nextBoolean()) {
                assertThat(index.remove(earlier)).isTrue();
                registered.remove(id);
                assertThat(index.remove(earlier)).isFalse();
            } else {
                Subscription later = random.nextInt(3) == 0 ? elsewhere(earlier) : subscription(id);
                index.replace(earlier, later);
                registered.put(id, later);
            }
            assertThat(index.size()).isEqualTo(registered.size());
        }

        private void add(String id) {
            Subscription subscription = subscription(id);
            index.add(subscription);
            registered.put(id, subscription);
        }

        private Subscription subscription(String id) {
            return ofSomePriority(Events.subscription(
                    id,
                    pick(GATEWAYS),
                    pick(TENANTS),
                    pick(COLLECTIONS),
                    random.nextInt(6) == 0 ? pick(DOCUMENTS) : null,
                    filter(),
                    random.nextInt(3) == 0));
        }

        private Subscription ofSomePriority(Subscription subscription) {
            return Events.withPriority(subscription, Priority.values()[random.nextInt(Priority.values().length)]);
        }

        private Subscription elsewhere(Subscription earlier) {
            return ofSomePriority(Events.subscription(
                    earlier.id(),
                    pick(GATEWAYS),
                    earlier.tenant(),
                    earlier.collection(),
                    earlier.documentId().orElse(null),
                    earlier.filter(),
                    earlier.transitions()));
        }

        /** Often one that is there already. */
        private String filter() {
            if (random.nextInt(12) == 0) {
                return "{}";
            }
            if (filters.isEmpty() || random.nextInt(4) > 0) {
                filters.add(queries.filter());
            }
            return pick(filters);
        }

        private void event(Operation operation, boolean withDocument, boolean withBefore) {
            RawBson document = withDocument ? Events.bson(queries.document()) : null;
            RawBson before = withBefore ? Events.bson(queries.document()) : null;
            String collection = operation.isControl() && random.nextInt(3) == 0 ? "" : pick(COLLECTIONS);
            agree(Events.event(operation, pick(TENANTS), collection, pick(DOCUMENTS), document), before);
        }

        private void agree(ChangeEvent event, @Nullable RawBson before) {
            TreeMap<String, MatchKind> found = new TreeMap<>();
            matcher.match(event, before, (subscription, kind) -> {
                assertThat(registered.get(subscription.id())).isSameAs(subscription);
                assertThat(found.put(BruteForce.name(subscription, kind), kind))
                        .as("told once")
                        .isNull();
            });
            assertThat(found)
                    .as(() -> event.operation() + " " + json(event.document()) + ", before " + json(before) + ", "
                            + registered)
                    .isEqualTo(BruteForce.matches(registered.values(), event, before));
        }

        private static String json(@Nullable RawBson bson) {
            return bson == null ? "nothing" : bson.toJson();
        }

        private String pick(List<String> choices) {
            return choices.get(random.nextInt(choices.size()));
        }
    }

    @Property(tries = 200, shrinking = ShrinkingMode.OFF)
    void indexEqualsBruteForceOnDocuments(@ForAll long seed) {
        Life life = new Life(seed);
        for (int k = 0; k < 60; k++) {
            life.change();
            life.change();
            life.event(Operation.INSERT, true, false);
        }
    }

    @Property(tries = 80, shrinking = ShrinkingMode.OFF)
    void indexEqualsBruteForceOnTransitions(@ForAll long seed) {
        Life life = new Life(seed);
        for (int k = 0; k < 40; k++) {
            life.change();
            life.change();
            life.event(k % 2 == 0 ? Operation.UPDATE : Operation.REPLACE, true, true);
        }
    }

    @Property(tries = 80, shrinking = ShrinkingMode.OFF)
    void indexEqualsBruteForceWhereTheDocumentIsGone(@ForAll long seed) {
        Life life = new Life(seed);
        for (int k = 0; k < 40; k++) {
            life.change();
            life.event(Operation.DELETE, false, true);
            life.event(Operation.DELETE, false, false);
            life.event(Operation.UPDATE, false, false);
        }
    }

    @Property(tries = 50, shrinking = ShrinkingMode.OFF)
    void indexEqualsBruteForceOnControlEvents(@ForAll long seed) {
        Life life = new Life(seed);
        for (int k = 0; k < 20; k++) {
            life.change();
            life.change();
            life.event(Operation.DROP, false, false);
            life.event(Operation.RESYNC, false, false);
            life.event(Operation.HEARTBEAT, false, false);
        }
    }

    /** One element above the low end and another below the high one are enough, unless $elemMatch wants one of both. */
    @Property(tries = 50, shrinking = ShrinkingMode.OFF)
    void indexEqualsBruteForceOnRangesOverArrays(@ForAll long seed) {
        Life life = new Life(seed);
        for (int k = 0; k < 40; k++) {
            String range = "{\"$gt\":" + life.random.nextInt(20) + ",\"$lte\":" + life.random.nextInt(20) + "}";
            boolean one = life.random.nextBoolean();
            String path = life.random.nextBoolean() ? "a" : "a.b";
            String filter = "{\"" + path + "\":" + (one ? "{\"$elemMatch\":" + range + "}" : range) + "}";
            Subscription subscription = Events.subscription("r" + k, filter);
            life.index.add(subscription);
            life.registered.put("r" + k, subscription);
        }
        for (int k = 0; k < 40; k++) {
            int x = life.random.nextInt(20);
            int y = life.random.nextInt(20);
            String document = life.random.nextBoolean()
                    ? "{\"a\":[" + x + "," + y + ".5]}"
                    : "{\"a\":[{\"b\":" + x + "},{\"b\":[" + y + ",\"x\"]}]}";
            life.agree(Events.insert("orders", document), null);
        }
    }

    /** Few values and many filters: what shares a value is told apart by trees below it. */
    @Property(tries = 10, shrinking = ShrinkingMode.OFF)
    void indexEqualsBruteForceWhereFiltersShareValues(@ForAll long seed) {
        Life life = new Life(seed);
        for (int k = 0; k < 400; k++) {
            String id = "t" + k;
            String shared = "{\"a\":1,\"b\":" + life.random.nextInt(3) + ",\"c\":{\"$ne\":" + k % 200 + "}}";
            Subscription subscription = Events.subscription(id, shared);
            life.index.add(subscription);
            life.registered.put(id, subscription);
        }
        for (int k = 0; k < 400; k++) {
            String document = "{\"a\":[1,2],\"b\":" + life.random.nextInt(3) + ",\"c\":" + life.random.nextInt(9) + "}";
            life.agree(Events.insert("orders", document), null);
            assertThat(life.index.remove(life.registered.remove("t" + k))).isTrue();
        }
        assertThat(life.index.size()).isZero();
    }
}
