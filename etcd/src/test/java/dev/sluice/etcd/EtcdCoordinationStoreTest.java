package dev.sluice.etcd;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.testkit.contract.CoordinationStoreContract;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.EtcdServer;
import dev.sluice.testkit.servers.RealServer;
import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Order(1)
class EtcdCoordinationStoreTest extends CoordinationStoreContract {
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final AtomicInteger TESTS = new AtomicInteger();

    private static EtcdServer server;

    private final String prefix = "/coordination-test-" + TESTS.incrementAndGet() + "/";

    @BeforeAll
    static void startServer() {
        server = EtcdServer.startPrivate();
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @Override
    protected CoordinationStore open(Duration requestTimeout) {
        return through(server.url(), requestTimeout);
    }

    @Override
    protected Optional<CoordinationStore> openThrough(int port, Duration requestTimeout) {
        return Optional.of(through("http://127.0.0.1:" + port, requestTimeout));
    }

    private EtcdCoordinationStore through(String url, Duration requestTimeout) {
        return new EtcdCoordinationStore(EtcdAccess.to(url), prefix, requestTimeout);
    }

    @Override
    protected Optional<RealServer> server() {
        return Optional.of(server);
    }

    /** The shortest that etcd grants with its default election timeout. */
    @Override
    protected Duration ttl() {
        return Duration.ofSeconds(2);
    }

    /** How an operator ends a member that cannot be reached. */
    @Test
    void aLeaseWhoseKeyIsDeletedByHandHasEnded() throws Exception {
        try (CoordinationStore store = open(SOON);
                Client byHand = Client.builder().endpoints(server.url()).build()) {
            Lease lease = store.openLease("group/members/n1", "n1:1", Duration.ofSeconds(60))
                    .orElseThrow();
            assertThat(lease.renew()).isTrue();
            byHand.getKVClient()
                    .delete(bytes(prefix + "leases/group/members/n1"))
                    .get();
            assertThat(lease.renew()).isFalse();
            assertThat(lease.put("group/a", new byte[0], ABSENT)).isEmpty();
            assertThat(store.openLease("group/members/n1", "n1:2", Duration.ofSeconds(60)))
                    .isPresent();
        }
    }

    @Test
    void theEndOfALeaseIsToldToWatchers() throws Exception {
        try (CoordinationStore store = open(SOON)) {
            Semaphore told = new Semaphore(0);
            assertThat(store.openLease("group/members/n1", "n1:1", ttl())).isPresent();
            store.watch("group/members/", key -> told.release());
            do {
                assertThat(told.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            } while (!store.leases("group/members/").isEmpty());
        }
    }

    /** What happened while nobody watched is gone from etcd's history; the watch must not ask for it. */
    @Test
    void aWatchSurvivesACompactionItDidNotSee() throws Exception {
        Semaphore told = new Semaphore(0);
        try (FaultProxy network = FaultProxy.inFrontOf(server.port());
                CoordinationStore far = openThrough(network.port(), SOON).orElseThrow();
                CoordinationStore near = open(SOON);
                Client byHand = Client.builder().endpoints(server.url()).build()) {
            far.watch("group/", key -> told.release());
            assertThat(told.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            network.cut();
            long revision = near.put("group/a", bytes("1").getBytes(), ABSENT).orElseThrow();
            long next = near.put("group/a", bytes("2").getBytes(), revision).orElseThrow();
            byHand.getKVClient().compact(next).get();
            told.drainPermits();
            network.heal();
            assertThat(told.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            told.drainPermits();
            assertThat(near.put("group/a", bytes("3").getBytes(), next)).isPresent();
            assertThat(told.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** gRPC by itself would wait longer and longer, up to two minutes. */
    @Test
    @Tag("soak")
    void afterALongerOutageItIsBackWithinSeconds() {
        try (FaultProxy network = FaultProxy.inFrontOf(server.port());
                CoordinationStore far =
                        openThrough(network.port(), Duration.ofMillis(500)).orElseThrow()) {
            assertThat(far.get("group/a")).isEmpty();
            network.cut();
            failFor(Duration.ofSeconds(20), far);
            long healed = System.nanoTime();
            network.heal();
            while (!answers(far)) {
                LockSupport.parkNanos(1_000_000);
            }
            Duration back = Duration.ofNanos(System.nanoTime() - healed);
            System.out.printf("back %,d ms after an outage of 20 s%n", back.toMillis());
            assertThat(back).isLessThan(Duration.ofSeconds(3));
        }
    }

    private static void failFor(Duration time, CoordinationStore store) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            assertThat(answers(store)).isFalse();
            LockSupport.parkNanos(50_000_000);
        }
    }

    private static boolean answers(CoordinationStore store) {
        try {
            store.get("group/a");
            return true;
        } catch (StoreUnavailableException away) {
            return false;
        }
    }

    @Test
    void anEndpointThatIsDeadIsPassedOver() {
        EtcdAccess access = EtcdAccess.to("http://127.0.0.1:1", server.url());
        try (CoordinationStore store = new EtcdCoordinationStore(access, prefix, SOON)) {
            assertThat(store.put("group/a", new byte[0], ABSENT)).isPresent();
        }
    }

    @Test
    void whoHasNoPasswordIsNotLetIn() throws Exception {
        try (EtcdServer guarded = EtcdServer.startPrivate();
                Client admin = Client.builder().endpoints(guarded.url()).build()) {
            Auth auth = admin.getAuthClient();
            auth.userAdd(bytes("root"), bytes("secret")).get();
            auth.roleAdd(bytes("root")).get();
            auth.userGrantRole(bytes("root"), bytes("root")).get();
            auth.authEnable().get();
            EtcdAccess access = EtcdAccess.to(guarded.url());
            try (CoordinationStore nobody = new EtcdCoordinationStore(access, prefix, SOON);
                    CoordinationStore wrong = new EtcdCoordinationStore(access.as("root", "guess"), prefix, SOON);
                    CoordinationStore known = new EtcdCoordinationStore(access.as("root", "secret"), prefix, SOON)) {
                assertThatThrownBy(() -> nobody.put("group/a", new byte[0], ABSENT))
                        .isInstanceOf(StoreUnavailableException.class);
                assertThatThrownBy(() -> wrong.put("group/a", new byte[0], ABSENT))
                        .isInstanceOf(StoreUnavailableException.class);
                assertThat(known.put("group/a", new byte[0], ABSENT)).isPresent();
                Lease lease = known.openLease("group/m", "m:1", ttl()).orElseThrow();
                assertThat(lease.renew()).isTrue();
            }
        }
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, UTF_8);
    }
}
