package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.audit.AuditTrail;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.FencingToken;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ClaimTest {
    private static final ClaimRecord MINE = new ClaimRecord("n1", "life-1", new FencingToken(1, 2), "p1", false);

    /** Refuses every write, and answers reads from a replica that has not seen the last one. */
    private static final class StaleStore implements CoordinationStore {
        private final CoordinationStore leases = new InMemoryCoordinationStore();
        private int puts;

        @Override
        public OptionalLong put(String key, byte[] value, long expected) {
            puts++;
            return OptionalLong.empty();
        }

        @Override
        public Optional<Entry> get(String key) {
            return Optional.of(new Entry(key, MINE.toBytes(), 3));
        }

        @Override
        public Optional<Lease> openLease(String name, String holder, Duration ttl) {
            return leases.openLease(name, holder, ttl);
        }

        @Override
        public Map<String, String> leases(String prefix) {
            return leases.leases(prefix);
        }

        @Override
        public List<Entry> list(String prefix) {
            return List.of();
        }

        @Override
        public boolean delete(String key, long expected) {
            return false;
        }

        @Override
        public Watch watch(String prefix, Consumer<String> changed) {
            return () -> {};
        }

        @Override
        public void close() {
            leases.close();
        }
    }

    private static final Duration LIFE = Duration.ofMillis(500);

    private static Claim claim(CoordinationStore store) {
        Clockwork clockwork = new VirtualThreads();
        Lease lease = store.openLease("g/members/n1", "n1", LIFE).orElseThrow();
        Incarnation owner = new Incarnation("n1", "life-1", lease, clockwork, LIFE, clockwork.nanos());
        ClaimContext context = new ClaimContext(
                store,
                new GroupKeys("g"),
                clockwork,
                SavePolicy.DEFAULT,
                new GroupJournal("g", clockwork, new AuditTrail("g", InstantSource.system(), 10)),
                null);
        return new Claim(0, "g/claims/1/0", MINE, 5, owner, context, new Claim.Watcher() {
            @Override
            public void saveDue() {}

            @Override
            public void fenced() {}
        });
    }

    @Test
    void itsDeadlineIsThatOfTheLeaseUnlessThereIsNobodyElse() {
        try (StaleStore shared = new StaleStore();
                CoordinationStore alone = new InMemoryCoordinationStore()) {
            assertThat(claim(shared).untilDeadline()).isPositive().isLessThanOrEqualTo(LIFE);
            assertThat(Ownership.of(claim(alone)).untilDeadline()).isGreaterThan(Duration.ofDays(365));
        }
    }

    /** Or it would ask as fast as it can until the lease is over. */
    @Test
    @Timeout(20)
    void aReadOlderThanTheRefusedRevisionIsLeftToTheNextSave() {
        try (StaleStore store = new StaleStore()) {
            Claim claim = claim(store);
            assertThatThrownBy(() -> claim.save("p2"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("at revision 5 and reads it at 3");
            assertThat(store.puts).isOne();
        }
    }
}
