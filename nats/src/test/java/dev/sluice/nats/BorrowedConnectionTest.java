package dev.sluice.nats;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.Options;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store over a connection of the application, with jnats' own options: the whole contract is a test of its own. */
class BorrowedConnectionTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final String bucket = "borrowed-test-" + TESTS.incrementAndGet();
    private FaultProxy network;
    private Connection connection;
    private CoordinationStore store;

    @BeforeEach
    void connect() throws Exception {
        network = FaultProxy.inFrontOf(NatsServer.shared().port());
        connection = Nats.connect(Options.builder()
                .server("nats://127.0.0.1:" + network.port())
                .maxReconnects(-1)
                .reconnectWait(Duration.ofMillis(50))
                .build());
        store = NatsCoordinationStore.over(connection, bucket, 1, TIMEOUT);
    }

    @AfterEach
    void close() throws Exception {
        store.close();
        connection.close();
        network.close();
    }

    @Test
    void closingTheStoreLeavesTheConnectionOpenAndNothingOnIt() throws Exception {
        AtomicInteger told = new AtomicInteger();
        store.watch("group/", key -> told.incrementAndGet());
        assertThat(store.put("group/a", "1".getBytes(UTF_8), ABSENT)).isPresent();
        await(() -> told.get() > 1);
        store.close();
        int before = told.get();
        assertThat(connection.getStatus()).isEqualTo(Connection.Status.CONNECTED);
        assertThatThrownBy(() -> store.get("group/a")).isInstanceOf(StoreUnavailableException.class);
        try (CoordinationStore another = NatsCoordinationStore.over(connection, bucket, 1, TIMEOUT)) {
            assertThat(another.get("group/a").orElseThrow().text()).isEqualTo("1");
            network.dropConnections();
            AtomicInteger heard = new AtomicInteger();
            try (CoordinationStore.Watch watching = another.watch("group/", key -> heard.incrementAndGet())) {
                assertThat(watching).isNotNull();
                await(() -> heard.get() > 0);
            }
        }
        assertThat(told.get()).as("neither the change nor the reconnect").isEqualTo(before);
    }

    @Test
    void aConnectionThatIsBackIsToldToWatchers() {
        AtomicInteger told = new AtomicInteger();
        store.watch("group/", key -> told.incrementAndGet());
        await(() -> told.get() > 0);
        for (int round = 0; round < 2; round++) {
            int before = told.get();
            network.dropConnections();
            await(() -> told.get() > before);
        }
        int before = told.get();
        await(() -> isWritten("group/a"));
        await(() -> told.get() > before);
    }

    /** jnats would send it when the connection is back. */
    @Test
    void nothingIsQueuedWhileTheConnectionIsAway() {
        Lease lease =
                store.openLease("group/n1", "n1:1", Duration.ofSeconds(30)).orElseThrow();
        network.cut();
        await(() -> connection.getStatus() != Connection.Status.CONNECTED);
        assertThatThrownBy(() -> store.put("group/a", new byte[0], ABSENT))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("connection is");
        assertThatThrownBy(lease::renew).isInstanceOf(StoreUnavailableException.class);
        network.heal();
        // What jnats had queued would be sent before this.
        await(() -> isWritten("group/b"));
        assertThat(store.get("group/a")).isEmpty();
        assertThat(lease.renew()).isTrue();
    }

    /** Without {@code reportNoResponders} jnats does not say why there is no answer. */
    @Test
    void aWriteThatNoStreamTakesIsUndecided() throws Exception {
        assertThat(store.get("group/a")).isEmpty();
        connection.jetStreamManagement().deleteStream("KV_" + bucket);
        assertThatThrownBy(() -> store.put("group/a", new byte[0], ABSENT))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aConnectionThatTheApplicationClosedIsSaidToBeClosed() throws Exception {
        connection.close();
        assertThatThrownBy(() -> store.get("group/a"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("the application's connection is closed");
    }

    private boolean isWritten(String key) {
        try {
            return store.put(key, new byte[0], ABSENT).isPresent();
        } catch (StoreUnavailableException away) {
            return false;
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }
}
