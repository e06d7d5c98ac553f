package dev.sluice.jdbc;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.StoreUnavailableException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that stops (SIGSTOP, a long pause, a lost network) between a write and its commit keeps a row locked. */
class SilentClientTest {
    private static final String KEY = "test/claim";
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void theServerEndsItsTransactionAndNothingOfItHappens(TestDatabase database) throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (HikariDataSource pool = database.ready();
                Database silent = new Database(pool, TIMEOUT);
                var other = new JdbcCoordinationStore(pool, TIMEOUT, TIMEOUT)) {
            long revision = other.put(KEY, "before".getBytes(), ABSENT).orElseThrow();
            var call = CompletableFuture.runAsync(() -> silent.transaction(session -> {
                OptionalLong done = new Values().replace(session, KEY, "silent".getBytes(), revision);
                written.countDown();
                awaitQuietly(goOn);
                return done;
            }));
            written.await();
            long since = System.nanoTime();
            await().atMost(Duration.ofSeconds(20))
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> other.put(KEY, "other".getBytes(), revision).isPresent());
            System.out.printf(
                    "%s: a silent client was in the way for %,d ms%n",
                    database, Duration.ofNanos(System.nanoTime() - since).toMillis());
            goOn.countDown();
            Assertions.assertThatThrownBy(call::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(StoreUnavailableException.class);
            assertThat(other.get(KEY).orElseThrow().text()).isEqualTo("other");
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
