package dev.sluice.nats;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.api.KeyValueConfiguration;
import io.nats.client.api.StreamConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the store makes of NATS, seen by NATS's own means. */
@Execution(ExecutionMode.SAME_THREAD)
class NatsBucketsTest {
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final String bucket = "buckets-test-" + TESTS.incrementAndGet();
    private Connection byHand;
    private CoordinationStore store;

    @BeforeEach
    void connect() throws Exception {
        byHand = Nats.connect(NatsServer.shared().url());
        store = new NatsCoordinationStore(NatsAccess.to(NatsServer.shared().url()), bucket, 1, SOON);
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        byHand.close();
    }

    @Test
    void thereIsOneBucketOfValuesAndOneForEachLifetimeWithDirectReadsOff() throws Exception {
        store.put("group/a", new byte[0], ABSENT);
        assertThat(store.openLease("group/n1", "n1:1", Duration.ofSeconds(10))).isPresent();
        assertThat(store.openLease("group/n2", "n2:1", Duration.ofSeconds(30))).isPresent();
        assertThat(configuration(bucket).getMaxAge()).isZero();
        assertThat(configuration(bucket + "-leases-10000").getMaxAge()).isEqualTo(Duration.ofSeconds(10));
        assertThat(configuration(bucket + "-leases-30000").getMaxAge()).isEqualTo(Duration.ofSeconds(30));
        for (String name : List.of(bucket, bucket + "-leases-10000", bucket + "-leases-30000")) {
            assertThat(configuration(name).getAllowDirect()).as(name).isFalse();
            assertThat(configuration(name).getMaxMsgsPerSubject()).as(name).isOne();
        }
        assertThat(store.leases("group/")).containsOnlyKeys("group/n1", "group/n2");
    }

    /** A single server has no place for three copies, and says so. */
    @Test
    void asManyCopiesAreAskedForAsAreSet() {
        var server = NatsAccess.to(NatsServer.shared().url());
        try (var three = new NatsCoordinationStore(server, bucket, 3, SOON)) {
            assertThatThrownBy(() -> three.put("group/a", new byte[0], ABSENT))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasStackTraceContaining("replicas > 1");
        }
    }

    /** {@code nats kv add} and jnats turn direct reads on, which a replica that lags may answer. */
    @Test
    void aBucketMadeByHandLosesItsDirectReads() throws Exception {
        byHand.keyValueManagement()
                .create(KeyValueConfiguration.builder()
                        .name(bucket)
                        .ttl(Duration.ofHours(1))
                        .build());
        assertThat(configuration(bucket).getAllowDirect()).as("jnats' default").isTrue();
        assertThat(store.put("group/a", "1".getBytes(UTF_8), ABSENT)).isPresent();
        assertThat(configuration(bucket).getAllowDirect()).isFalse();
        assertThat(configuration(bucket).getMaxAge()).as("values do not expire").isZero();
    }

    /** So that {@code nats kv get} and {@code nats kv watch} show what is there. */
    @Test
    void keysAreReadableForNatsOwnTools() throws Exception {
        store.put("group/members/n1.example", "1".getBytes(UTF_8), ABSENT);
        assertThat(byHand.keyValue(bucket).keys()).containsExactly("group.members.n1=example");
        assertThat(byHand.keyValue(bucket).get("group.members.n1=example").getValueAsString())
                .isEqualTo("1");
    }

    /** They write into different buckets, so no compare-and-set decides between them; mostly all of them withdraw. */
    @Test
    void ofManyThatOpenALeaseWithDifferentLifetimesNeverTwoDo() throws Exception {
        for (int round = 0; round < 10; round++) {
            String name = "group/n" + round;
            List<Callable<Optional<Lease>>> racers = IntStream.range(0, 6)
                    .mapToObj(n -> (Callable<Optional<Lease>>)
                            () -> store.openLease(name, "h:" + n, Duration.ofSeconds(30 + n % 3)))
                    .toList();
            int winners = 0;
            try (ExecutorService threads = Executors.newFixedThreadPool(racers.size())) {
                for (Future<Optional<Lease>> racer : threads.invokeAll(racers)) {
                    winners += racer.get().isPresent() ? 1 : 0;
                }
            }
            assertThat(winners).isLessThanOrEqualTo(1);
            assertThat(store.openLease(name, "h:last", Duration.ofSeconds(30)).isPresent())
                    .as("free unless somebody won")
                    .isEqualTo(winners == 0);
        }
    }

    @Test
    void namesThatAreNoBucketsAreRefused() {
        for (String name : List.of("", "a.b", "a b", "a/b", "*")) {
            assertThatThrownBy(() -> new NatsCoordinationStore(NatsAccess.to("nats://127.0.0.1:1"), name, 1, SOON))
                    .as("'%s'", name)
                    .isInstanceOf(InvalidInputException.class);
        }
    }

    private StreamConfiguration configuration(String name) throws Exception {
        return byHand.jetStreamManagement().getStreamInfo("KV_" + name).getConfiguration();
    }
}
