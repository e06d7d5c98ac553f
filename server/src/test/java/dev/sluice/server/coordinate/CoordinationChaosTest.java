package dev.sluice.server.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.testkit.servers.RealServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Five real processes share 64 partitions over a real store, while members are killed, frozen for longer than their lease
 * and asked to leave, and the store is killed, restarted and frozen. Every member counts each of its partitions up in a
 * resource guarded by the claim's token; the {@link FencedCounters} say whether two ever owned one thing. The long version:
 * {@code -Dsluice.chaos.seconds=300}; a failed run is repeated, as far as timing allows, with {@code -Dsluice.chaos.seed}.
 */
@Tag("crash")
@Order(1)
class CoordinationChaosTest {
    private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("sluice.chaos.seconds", 20));
    private static final long SEED = Long.getLong("sluice.chaos.seed", System.nanoTime());
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration SETTLES_WITHIN = Duration.ofSeconds(90);

    @ParameterizedTest
    @EnumSource
    void noPartitionEverHasTwoOwnersWhateverIsKilled(StoreKind kind) throws Exception {
        System.out.printf("%s: seed %d, %s, load %s%n", kind, SEED, TIME, load());
        FencedCounters counters = new FencedCounters(LEASE.dividedBy(6).toNanos());
        try (RealServer server = kind.start();
                CountersServer witness = new CountersServer(counters)) {
            String url = kind.prepare(server);
            try (CoordinationStore store = kind.connect(url);
                    Chaos chaos =
                            new Chaos(kind, server, url, witness.port(), LEASE, new Random(SEED + kind.ordinal()))) {
                ClaimsObserver observer = new ClaimsObserver(store, counters);
                settle(chaos, counters, observer);
                chaos.run(TIME, observer);
                Duration settled = settle(chaos, counters, observer);
                System.out.printf(
                        "%s: %s%n%s%n%s%nsettled %.1f s after the last harm, load %s%n",
                        kind,
                        chaos.done(),
                        counters.sums(),
                        chaos.figures().of(counters.changes(), LEASE.toNanos()),
                        settled.toMillis() / 1e3,
                        load());
                assertThat(chaos.done()).contains(Chaos.Harm.KILL, Chaos.Harm.FREEZE, Chaos.Harm.STORE_RESTART);
            }
        }
        assertThat(counters.violations()).isEmpty();
        assertThat(counters.accepted()).isGreaterThan(1_000);
    }

    /** Until every partition is written by exactly one process, and each of the five has its share. */
    private static Duration settle(Chaos chaos, FencedCounters counters, ClaimsObserver observer) throws Exception {
        long start = System.nanoTime();
        Map<Integer, Set<String>> writers = counters.writersSinceLastCall();
        while (!isSettled(writers)) {
            assertThat(counters.violations()).isEmpty();
            if (System.nanoTime() - start > SETTLES_WITHIN.toNanos()) {
                chaos.dumpThreads();
                throw new AssertionError("not settled within " + SETTLES_WITHIN + ", writers by partition: " + writers);
            }
            TimeUnit.MILLISECONDS.sleep(500);
            observer.look();
            writers = counters.writersSinceLastCall();
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static boolean isSettled(Map<Integer, Set<String>> writers) {
        Map<String, Integer> owned = new HashMap<>();
        writers.values().forEach(each -> each.forEach(process -> owned.merge(process, 1, Integer::sum)));
        return writers.size() == ChaosMember.PARTITIONS
                && writers.values().stream().allMatch(each -> each.size() == 1)
                && owned.size() == 5
                && owned.values().stream().allMatch(share -> share == 12 || share == 13);
    }

    private static String load() throws Exception {
        return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
    }
}
