package dev.sluice.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.outbox.Outbox;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxSchema;
import dev.sluice.outbox.table.OutboxTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Only a transaction that commits the row is good enough; pools hand connections out with auto-commit off, as many do. */
class OutboxPublisherTest {
    private final HikariDataSource source = pool();
    private final HikariDataSource elsewhere = pool();
    private final DataSourceTransactionManager manager = new DataSourceTransactionManager(source);
    private final OutboxPublisher publisher =
            new OutboxPublisher(Outbox.builder().build(), source, event -> new byte[] {1}, Map::of);

    private static HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        pool.setAutoCommit(false);
        return pool;
    }

    @BeforeEach
    void tables() {
        OutboxSchema.create(source);
    }

    @AfterEach
    void close() {
        source.close();
        elsewhere.close();
    }

    private long rows() {
        return new OutboxTable(source, Keeping.DELETE).backlog().rows();
    }

    @Test
    void aConnectionThatWasOnlyReadFromInAnotherDataSourcesTransactionIsRefused() {
        var other = new TransactionTemplate(new DataSourceTransactionManager(elsewhere));
        assertThatThrownBy(() -> other.executeWithoutResult(status -> {
                    new JdbcTemplate(source).queryForList("SELECT COUNT(*) FROM outbox_events");
                    publisher.publish("t", "k", "lost");
                }))
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("not one of the outbox's DataSource");
    }

    @Test
    void theDataSourcesOwnTransactionIsTakenAlsoInsideAnotherOne() {
        var other = new TransactionTemplate(new DataSourceTransactionManager(elsewhere));
        other.executeWithoutResult(outer ->
                new TransactionTemplate(manager).executeWithoutResult(status -> publisher.publish("t", "k", "kept")));
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void aTransactionOfJpaIsTaken() {
        new TransactionTemplate(new LikeJpa(source))
                .executeWithoutResult(status -> publisher.publish("t", "k", "kept"));
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void afterCompletionItIsRefusedBeforeARowIsWritten() {
        var refused = new AtomicReference<Exception>();
        var written = new AtomicInteger(-1);
        new TransactionTemplate(manager)
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCompletion(int result) {
                                try {
                                    publisher.publish("t", "k", "too late");
                                } catch (RuntimeException expected) {
                                    refused.set(expected);
                                }
                                written.set(seenOnThisConnection());
                            }
                        }));
        assertThat(refused.get())
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("already completed");
        assertThat(written).hasValue(0);
    }

    /** The manager is no bean, so nobody watches it; the message before the commit is what tells. */
    @Test
    void afterTheCommitItIsRefusedAlsoWhenAMessageWasPublishedBefore() {
        var refused = new AtomicReference<Exception>();
        new TransactionTemplate(manager).executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCompletion() {
                    publisher.publish("t", "k", "just in time");
                }

                @Override
                public void afterCommit() {
                    try {
                        publisher.publish("t", "k", "too late");
                    } catch (RuntimeException expected) {
                        refused.set(expected);
                    }
                }
            });
            publisher.publish("t", "k", "in time");
        });
        assertThat(refused.get())
                .isInstanceOf(IllegalTransactionStateException.class)
                .hasMessageContaining("already completed");
        assertThat(rows()).isEqualTo(2);
    }

    private int seenOnThisConnection() {
        return new JdbcTemplate(source)
                .queryForList("SELECT id FROM outbox_events")
                .size();
    }

    /** Binds a connection as JpaTransactionManager does: the holder knows nothing of the transaction. */
    private static final class LikeJpa extends AbstractPlatformTransactionManager {
        private final DataSource source;

        LikeJpa(DataSource source) {
            this.source = source;
        }

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            try {
                TransactionSynchronizationManager.bindResource(source, new ConnectionHolder(source.getConnection()));
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
        }

        private Connection connection() {
            return ((ConnectionHolder) TransactionSynchronizationManager.getResource(source)).getConnection();
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            try {
                connection().commit();
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}

        @Override
        protected void doCleanupAfterCompletion(Object transaction) {
            try {
                connection().close();
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
            TransactionSynchronizationManager.unbindResource(source);
        }
    }
}
