package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Groups on real threads and real time; everything that needs a certain schedule is tested by simulation in testkit. */
class GroupOnThreadsTest {
    private static final int PARTITIONS = 12;

    private final InMemoryCoordinationStore store = new InMemoryCoordinationStore();
    private final List<Group> groups = new ArrayList<>();

    @AfterEach
    void closeAll() {
        groups.forEach(Group::close);
        store.close();
    }

    @Test
    void membersShareAllPartitionsAndALeaverHandsItsPositionsOver() {
        Workers a = start("a");
        Workers b = start("b");
        await(() -> owned(a, b) == PARTITIONS && a.claims.size() == b.claims.size());
        a.claims
                .values()
                .forEach(claim ->
                        assertThat(claim.save("at-" + claim.partition())).isTrue());
        Set<Integer> moved = new HashSet<>(a.claims.keySet());
        groups.get(0).close();
        await(() -> b.claims.size() == PARTITIONS);
        Map<Integer, String> positions = new HashMap<>();
        moved.forEach(partition -> positions.put(partition, "at-" + partition + "-last"));
        for (int partition : moved) {
            assertThat(b.claims.get(partition).position()).isEqualTo(positions.get(partition));
        }
        assertThat(a.revoked).containsAll(moved);
        assertThat(a.lost).isEmpty();
        assertThat(groups.get(0).status().member()).isEmpty();
        assertThat(groups.get(1).status().owned()).hasSize(PARTITIONS);
    }

    @Test
    void aJoinerGetsItsShare() {
        Workers a = start("a");
        await(() -> a.claims.size() == PARTITIONS);
        Workers b = start("b");
        Workers c = start("c");
        await(() -> owned(a, b, c) == PARTITIONS && a.claims.size() == 4 && b.claims.size() == 4);
        assertThat(groups.get(0).status().isHealthy()).isTrue();
        assertThat(groups.get(0).status().members()).containsExactly("a", "b", "c");
    }

    private static int owned(Workers... workers) {
        Set<Integer> all = new HashSet<>();
        int sum = 0;
        for (Workers worker : workers) {
            all.addAll(worker.claims.keySet());
            sum += worker.claims.size();
        }
        return sum == all.size() ? sum : -1;
    }

    private Workers start(String id) {
        Workers workers = new Workers();
        GroupSettings settings = GroupSettings.of("test/group", MemberIds.fixed(id), PARTITIONS)
                .withLease(Duration.ofSeconds(2))
                .withStabiliser(StabiliserSettings.IMMEDIATE);
        groups.add(Group.start(store.anotherClient(), settings, workers));
        return workers;
    }

    private static void await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Remembers what it was told. */
    private static final class Workers implements PartitionUser {
        final Map<Integer, Claim> claims = new ConcurrentHashMap<>();
        final Set<Integer> revoked = ConcurrentHashMap.newKeySet();
        final Set<Integer> lost = ConcurrentHashMap.newKeySet();

        @Override
        public void assigned(Claim claim) {
            claims.put(claim.partition(), claim);
        }

        @Override
        public void revoking(Claim claim) {
            claims.remove(claim.partition());
            revoked.add(claim.partition());
            claim.report("at-" + claim.partition() + "-last");
        }

        @Override
        public void lost(Claim claim) {
            claims.remove(claim.partition());
            lost.add(claim.partition());
        }
    }
}
