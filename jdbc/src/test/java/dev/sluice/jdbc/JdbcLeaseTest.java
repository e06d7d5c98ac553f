package dev.sluice.jdbc;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static dev.sluice.jdbc.JdbcValuesTest.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.Lease;
import dev.sluice.model.InvalidInputException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

class JdbcLeaseTest {
    private static final String NAME = "test/members/node-1";
    private static final Duration LONG = Duration.ofMinutes(1);

    @ParameterizedTest
    @EnumSource
    void ofManyThatOpenALeaseOneGetsIt(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool)) {
            for (int round = 0; round < 3; round++) {
                List<Optional<Lease>> opened = together(
                        8, () -> store.openLease(NAME, UUID.randomUUID().toString(), LONG));
                List<Lease> taken = opened.stream().flatMap(Optional::stream).toList();
                assertThat(taken).hasSize(1);
                taken.getFirst().close();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void namesLongerThanShedLocksColumnAreHashedAndListedWhole(TestDatabase database) throws Exception {
        String one = "test/members/" + "n".repeat(127) + '1';
        String two = "test/members/" + "n".repeat(127) + '2';
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool)) {
            assertThat(store.openLease(one, "incarnation#1", LONG)).isPresent();
            assertThat(store.openLease(two, "incarnation-2", LONG)).isPresent();
            assertThat(store.openLease(one, "incarnation-3", LONG)).isEmpty();
            assertThat(store.leases("test/members/")).isEqualTo(Map.of(one, "incarnation#1", two, "incarnation-2"));
            assertThat(TestDatabase.ask(pool, "SELECT MAX(LENGTH(name)) FROM shedlock"))
                    .isEqualTo("64");
            assertThat(TestDatabase.ask(pool, "SELECT COUNT(*) FROM shedlock WHERE name LIKE 'test/members/nnnnnnn~%'"))
                    .isEqualTo("2");
        }
    }

    @Test
    void aHolderThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> new LeaseName("a/b", "c".repeat(191)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("190");
    }

    @ParameterizedTest
    @EnumSource
    void leasesAndTheLocksOfAnApplicationThatUsesShedLockRespectEachOther(TestDatabase database) {
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool)) {
            var application = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                    .withJdbcTemplate(new JdbcTemplate(pool))
                    .usingDbTime()
                    .build());
            Lease lease = store.openLease(NAME, "mine", LONG).orElseThrow();
            assertThat(application.lock(lock(NAME))).isEmpty();
            lease.close();
            SimpleLock theirs = application.lock(lock(NAME)).orElseThrow();
            assertThat(store.openLease(NAME, "mine-2", LONG)).isEmpty();
            assertThat(store.leases("test/")).isEmpty();
            theirs.unlock();
            assertThat(store.openLease(NAME, "mine-3", LONG)).isPresent();
        }
    }

    private static LockConfiguration lock(String name) {
        return new LockConfiguration(Instant.now(), name, LONG, Duration.ZERO);
    }

    @ParameterizedTest
    @EnumSource
    void aPutThatWaitedForTheRowUntilTheLeaseEndedIsRefused(TestDatabase database) throws Exception {
        afterWaitingForTheRow(
                database, lease -> lease.put("test/claim", new byte[1], ABSENT).isPresent());
    }

    @ParameterizedTest
    @EnumSource
    void aRenewalThatWaitedForTheRowUntilTheLeaseEndedDoesNotReviveIt(TestDatabase database) throws Exception {
        afterWaitingForTheRow(database, Lease::renew);
    }

    private static void afterWaitingForTheRow(TestDatabase database, Predicate<Lease> call) throws Exception {
        Duration ttl = Duration.ofMillis(400);
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool, Duration.ofSeconds(5), Duration.ofSeconds(1));
                Connection other = pool.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            Lease lease = store.openLease(NAME, "mine", ttl).orElseThrow();
            statement.executeQuery("SELECT name FROM shedlock FOR UPDATE").close();
            var result = CompletableFuture.supplyAsync(() -> call.test(lease));
            // The time that the database measures has to pass; there is no signal for it.
            TimeUnit.MILLISECONDS.sleep(ttl.toMillis() + 100);
            assertThat(result).isNotDone();
            other.rollback();
            assertThat(result.get()).isFalse();
            assertThat(store.leases("test/")).isEmpty();
            assertThat(store.list("test/")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLeaseThatWasRefusedOnceIsNeverLiveAgain(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool)) {
            Lease lease = store.openLease(NAME, "mine", LONG).orElseThrow();
            assertThat(lease.renew()).isTrue();
            TestDatabase.run(pool, "UPDATE shedlock SET lock_until = '2001-01-01 00:00:00'");
            assertThat(lease.renew()).isFalse();
            assertThat(store.openLease(NAME, "mine", LONG)).isPresent();
            assertThat(lease.renew()).isFalse();
            assertThat(lease.put("test/claim", new byte[1], ABSENT)).isEmpty();
        }
    }
}
