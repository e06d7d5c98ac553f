package dev.sluice.testkit.contract;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.testkit.servers.RealServer;
import dev.sluice.testkit.time.VirtualClock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InMemoryCoordinationStoreTest extends CoordinationStoreContract {
    private final InMemoryCoordinationStore store = new InMemoryCoordinationStore();

    @Override
    protected CoordinationStore open(Duration requestTimeout) {
        return store.anotherClient();
    }

    @Override
    protected Optional<RealServer> server() {
        return Optional.empty();
    }

    @Override
    protected Duration ttl() {
        return Duration.ofMillis(200);
    }

    @Test
    void leasesEndExactlyByTheClockItIsGiven() {
        VirtualClock clock = new VirtualClock();
        try (InMemoryCoordinationStore timed = new InMemoryCoordinationStore(clock::nanos)) {
            Lease lease =
                    timed.openLease("group/n1", "n1:1", Duration.ofSeconds(10)).orElseThrow();
            clock.advance(Duration.ofNanos(9_999_999_999L));
            assertThat(lease.renew()).isTrue();
            clock.advance(Duration.ofNanos(9_999_999_999L));
            assertThat(timed.leases("group/")).hasSize(1);
            assertThat(lease.put("group/a", new byte[0], ABSENT)).isPresent();
            clock.advance(Duration.ofNanos(1));
            assertThat(lease.put("group/b", new byte[0], ABSENT)).isEmpty();
            assertThat(lease.renew()).isFalse();
            assertThat(timed.leases("group/")).isEmpty();
        }
    }
}
