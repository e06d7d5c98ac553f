package dev.sluice.subscribe;

import static dev.sluice.subscribe.Registries.subscription;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many change, renew, let end and match at once: who stays is never missed, and table, index and store agree at the end. */
@Timeout(60)
class BusyRegistryTest {
    private final Registries here = new Registries();
    private final SubscriptionRegistry registry = here.subscriptions;

    @Test
    void whoStaysIsAlwaysMatchedAndNothingComesApart() throws Exception {
        Set<String> staying = new TreeSet<>();
        for (int k = 0; k < 50; k++) {
            staying.add("stays-" + k);
        }
        registry.register(staying.stream().map(id -> subscription(id, "s")).toList());
        try (ExecutorService threads = Executors.newFixedThreadPool(5)) {
            List<Future<?>> changing = new ArrayList<>();
            for (int w = 0; w < 3; w++) {
                int writer = w;
                changing.add(threads.submit(() -> change(writer)));
            }
            changing.add(threads.submit(() -> {
                for (int k = 0; k < 200; k++) {
                    here.nanos.addAndGet(Duration.ofSeconds(5).toNanos());
                    registry.renew(staying);
                    registry.expire();
                }
            }));
            int rounds = 0;
            while (changing.stream().anyMatch(each -> !each.isDone()) || rounds++ < 10) {
                assertThat(here.matches()).containsAll(staying);
            }
            for (Future<?> each : changing) {
                each.get();
            }
        }
        Set<String> listed = new TreeSet<>();
        registry.gatewayIds().forEach(gateway -> registry.ofGateway(gateway).forEach(each -> listed.add(each.id())));
        Set<String> stored = new TreeSet<>();
        here.store.load(each -> stored.add(each.id()));
        assertThat(listed).hasSize(registry.size()).containsAll(staying);
        assertThat(stored).isEqualTo(listed);
        assertThat(here.matches()).isEqualTo(listed);
    }

    private void change(int writer) {
        for (int k = 0; k < 100; k++) {
            List<Subscription> batch = IntStream.range(10 * k, 10 * k + 20)
                    .mapToObj(n -> subscription("w" + writer + "-" + n, "g" + n % 3))
                    .toList();
            registry.register(batch);
            registry.remove(List.of("w" + writer + "-" + 10 * k, "w" + writer + "-" + (10 * k + 1)));
            if (k % 10 == 0) {
                registry.removeGateway("g" + writer);
            }
            registry.renewGateway("g1");
        }
    }
}
