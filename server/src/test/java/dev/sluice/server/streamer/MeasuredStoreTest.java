package dev.sluice.server.streamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class MeasuredStoreTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private CoordinationStore measured(CoordinationStore inner) {
        return new MeasuredStore(inner, registry.timer("latency"), registry.counter("errors"));
    }

    @Test
    void onlyClaimsAreMeasured() {
        try (var inner = new InMemoryCoordinationStore()) {
            var store = measured(inner);
            assertThat(store.put("g/claims/1/0", new byte[1], CoordinationStore.ABSENT))
                    .isPresent();
            assertThat(store.put("g/members/a", new byte[1], CoordinationStore.ABSENT))
                    .isPresent();
            assertThat(registry.timer("latency").count()).isEqualTo(1);
            assertThat(store.list("g/")).hasSize(2);
            assertThat(store.isOfOneProcess()).isTrue();
            store.close();
            assertThat(inner.get("g/members/a"))
                    .as("whoever opened it closes it")
                    .isPresent();
        }
    }

    @Test
    void aPositionTheStoreDoesNotAnswerForIsAnError() {
        var away = (CoordinationStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {CoordinationStore.class}, (proxy, method, arguments) -> {
                    throw new StoreUnavailableException("away", new RuntimeException("cut"));
                });
        assertThatThrownBy(() -> measured(away).put("g/claims/1/0", new byte[1], 1))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(registry.counter("errors").count()).isEqualTo(1);
    }
}
