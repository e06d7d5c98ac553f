package dev.sluice.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever is asked in whatever order: the registry is a map of ids with deadlines, and its index shows just that map. */
class SubscriptionRegistryPropertiesTest {
    private static final int STEPS = 200;
    private static final SubscriptionQuotas QUOTAS = new SubscriptionQuotas(12, 30, 20);
    private static final List<String> GATEWAYS = List.of("", "g0", "g1", "g2");

    private Registries here = new Registries(QUOTAS);
    private final Map<String, Subscription> model = new TreeMap<>();
    private final Map<String, Long> deadlines = new HashMap<>();
    private long seconds;

    @Property(tries = 60)
    void behavesLikeAMapWithDeadlines(@ForAll long seed) {
        here = new Registries(QUOTAS);
        model.clear();
        deadlines.clear();
        seconds = 0;
        Random random = new Random(seed);
        for (int k = 0; k < STEPS; k++) {
            step(random);
            check();
        }
    }

    private void step(Random random) {
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> register(random);
            case 3 -> {
                String id = id(random);
                here.subscriptions.remove(List.of(id));
                model.remove(id);
            }
            case 4 -> {
                String id = id(random);
                assertThat(here.subscriptions.renew(List.of(id)).unknown().isEmpty())
                        .isEqualTo(model.containsKey(id));
                deadlines.put(id, seconds);
            }
            case 5 -> {
                String gateway = GATEWAYS.get(random.nextInt(GATEWAYS.size()));
                here.subscriptions.renewGateway(gateway);
                model.values().stream()
                        .filter(each -> each.gatewayId().equals(gateway))
                        .forEach(each -> deadlines.put(each.id(), seconds));
            }
            case 6 -> {
                String gateway = GATEWAYS.get(1 + random.nextInt(3));
                here.subscriptions.removeGateway(gateway);
                model.values().removeIf(each -> each.gatewayId().equals(gateway));
            }
            case 7 -> pass(random.nextInt(90));
            default -> restart(random);
        }
    }

    private void register(Random random) {
        List<Subscription> batch = new ArrayList<>();
        for (int k = random.nextInt(4); k >= 0; k--) {
            batch.add(new Subscription(
                    id(random),
                    GATEWAYS.get(random.nextInt(GATEWAYS.size())),
                    random.nextBoolean() ? "" : "t",
                    "c",
                    Optional.empty(),
                    random.nextInt(3) == 0 ? "{\"a\":\"2\"}" : "{\"a\":{\"$in\":[\"1\",\"3\"]}}",
                    Priority.NORMAL,
                    Duration.ofSeconds(60 + random.nextInt(100)),
                    Optional.empty(),
                    false,
                    false));
        }
        Registered registered = here.subscriptions.register(batch);
        List<Integer> refused =
                registered.refusals().stream().map(Refusal::index).toList();
        for (int k = 0; k < batch.size(); k++) {
            boolean fits = fits(batch.get(k));
            assertThat(refused.contains(k)).as(batch.get(k).toString()).isEqualTo(!fits);
            if (fits) {
                model.put(batch.get(k).id(), batch.get(k));
                deadlines.put(batch.get(k).id(), seconds);
            }
        }
    }

    private boolean fits(Subscription next) {
        Map<String, Subscription> others = new TreeMap<>(model);
        Subscription earlier = others.remove(next.id());
        boolean sameGateway = earlier != null && earlier.gatewayId().equals(next.gatewayId());
        long ofGateway = others.values().stream()
                .filter(each -> each.gatewayId().equals(next.gatewayId()))
                .count();
        return (next.gatewayId().isEmpty() || sameGateway || ofGateway < QUOTAS.perGateway())
                && (earlier != null || others.size() < QUOTAS.total());
    }

    private void pass(int some) {
        seconds += some;
        here.pass(Duration.ofSeconds(some));
        // To the second it is not promised; what is a second over or under may be either.
        model.values().removeIf(each -> {
            long over =
                    seconds - deadlines.getOrDefault(each.id(), 0L) - each.ttl().toSeconds();
            return over > 1 || over >= 0 && here.subscriptions.find(each.id()).isEmpty();
        });
    }

    private void restart(Random random) {
        if (random.nextInt(4) == 0) {
            here = new Registries(QUOTAS, here.store);
            model.keySet().forEach(id -> deadlines.put(id, seconds));
        }
    }

    private static String id(Random random) {
        return "s" + random.nextInt(30);
    }

    private void check() {
        assertThat(here.subscriptions.size()).isEqualTo(model.size());
        assertThat(here.subscriptions
                        .list(new SubscriptionQuery("", "", "", "", 1000))
                        .subscriptions())
                .containsExactlyElementsOf(model.values());
        assertThat(here.matches())
                .isEqualTo(model.values().stream()
                        .filter(each -> each.filter().contains("$in"))
                        .map(Subscription::id)
                        .collect(Collectors.toSet()));
        for (String gateway : GATEWAYS) {
            assertThat(here.subscriptions.ofGateway(gateway))
                    .containsExactlyInAnyOrderElementsOf(model.values().stream()
                            .filter(each -> each.gatewayId().equals(gateway))
                            .toList());
        }
    }
}
