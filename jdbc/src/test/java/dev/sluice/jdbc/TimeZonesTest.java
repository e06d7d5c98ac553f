package dev.sluice.jdbc;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two nodes whose sessions are 24 hours apart, and a server in a zone of its own. */
class TimeZonesTest {
    private static final String EAST = "+13:00";
    private static final String WEST = "-11:00";
    private static final String NAME = "test/members/node-1";
    private static final Duration TTL = Duration.ofSeconds(30);

    @ParameterizedTest
    @EnumSource
    void aLeaseIsLiveInEveryZoneAndEndsInEveryZone(TestDatabase database) throws Exception {
        String url = database.newUrl();
        try (HikariDataSource pool = TestDatabase.pool(url)) {
            JdbcCoordinationStore.createTables(pool);
        }
        leaseIsSharedBetweenZones(database, url);
    }

    @ParameterizedTest
    @EnumSource
    void alsoWhereTheApplicationsTableHasColumnsThatConvertByZone(TestDatabase database) throws Exception {
        String url = database.newUrl();
        try (HikariDataSource pool = TestDatabase.pool(url)) {
            TestDatabase.run(
                    pool,
                    "CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until %1$s NOT NULL, locked_at %1$s NOT NULL, locked_by VARCHAR(255) NOT NULL)"
                            .formatted(database.zonedType()));
            JdbcCoordinationStore.createTables(pool);
        }
        leaseIsSharedBetweenZones(database, url);
    }

    private static void leaseIsSharedBetweenZones(TestDatabase database, String url) throws SQLException {
        try (HikariDataSource eastPool = database.poolInZone(url, EAST);
                HikariDataSource westPool = database.poolInZone(url, WEST);
                var east = new JdbcCoordinationStore(eastPool);
                var west = new JdbcCoordinationStore(westPool)) {
            takenByOneSeenByTheOther(east, west);
            takenByOneSeenByTheOther(west, east);
            Lease brief = east.openLease(NAME, "brief", Duration.ofMillis(1)).orElseThrow();
            assertThat(west.openLease(NAME, "next", TTL)).isPresent();
            assertThat(brief.renew()).isFalse();
        }
    }

    private static void takenByOneSeenByTheOther(JdbcCoordinationStore one, JdbcCoordinationStore other) {
        Lease lease = one.openLease(NAME, "mine", TTL).orElseThrow();
        assertThat(other.leases("test/")).isEqualTo(Map.of(NAME, "mine"));
        assertThat(other.openLease(NAME, "theirs", TTL)).isEmpty();
        assertThat(lease.renew()).isTrue();
        long revision = lease.put("test/key", new byte[1], ABSENT).orElseThrow();
        assertThat(other.delete("test/key", revision)).isTrue();
        lease.close();
        assertThat(other.leases("test/")).isEmpty();
        assertThat(one.leases("test/")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aConnectionIsGivenBackAsItWas(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.poolInZone(database.newUrl(), EAST)) {
            pool.setMaximumPoolSize(1);
            JdbcCoordinationStore.createTables(pool);
            String zone = database.zoneOf(pool);
            String settings = settings(database, pool);
            try (var store = new JdbcCoordinationStore(pool)) {
                Lease lease = store.openLease(NAME, "mine", TTL).orElseThrow();
                lease.put("test/key", new byte[1], ABSENT);
                store.put("test/key", new byte[1], ABSENT);
                lease.close();
            }
            assertThat(database.zoneOf(pool)).isEqualTo(zone).contains("13");
            assertThat(settings(database, pool)).isEqualTo(settings);
        }
    }

    private static String settings(TestDatabase database, HikariDataSource pool) throws SQLException {
        String ofServer = switch (database) {
            case POSTGRESQL ->
                TestDatabase.ask(
                        pool,
                        "SELECT current_setting('lock_timeout') || current_setting('idle_in_transaction_session_timeout')");
            case MARIADB -> TestDatabase.ask(pool, "SELECT @@session.wait_timeout");
            case H2 -> "";
        };
        try (Connection connection = pool.getConnection()) {
            return ofServer
                    + ' '
                    + connection.getAutoCommit()
                    + ' '
                    + connection.getTransactionIsolation()
                    + ' '
                    + connection.getNetworkTimeout();
        }
    }
}
