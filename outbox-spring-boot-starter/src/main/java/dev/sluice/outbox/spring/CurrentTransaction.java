package dev.sluice.outbox.spring;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Checks that this thread is in a transaction of the outbox's DataSource that can still commit a row. That a connection is
 * bound to the thread proves nothing: Spring also binds one when it is merely read from inside another DataSource's
 * transaction, and keeps one bound after the commit, until all callbacks have returned.
 */
final class CurrentTransaction {
    private static final TransactionDefinition ANY =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_MANDATORY);

    private final DataSource source;
    private final CommitWatch commits;
    /** Never begins or ends a transaction: only looks whether one is there. */
    private final DataSourceTransactionManager transactions;

    CurrentTransaction(DataSource source, CommitWatch commits) {
        this.source = source;
        this.commits = commits;
        this.transactions = new DataSourceTransactionManager(source);
        transactions.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
    }

    /**
     * @param committed whether it is known to be over
     * @throws IllegalTransactionStateException when a row written now would not be committed with the current transaction
     */
    void require(boolean committed) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalTransactionStateException("There is no transaction here that the message could belong to:"
                    + " publish it in a method that is @Transactional, or through a TransactionTemplate.");
        }
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalTransactionStateException("The transaction is read-only, and a message is a row:"
                    + " leave readOnly out where a message is published.");
        }
        Object bound = TransactionSynchronizationManager.getResource(source);
        if (!isTransactional(bound)) {
            throw new IllegalTransactionStateException(
                    "The transaction is not one of the outbox's DataSource, so the message"
                            + " would not be committed with it: use the transaction manager of that DataSource, or call"
                            + " Outbox.append with the connection yourself.");
        }
        if (committed || !TransactionSynchronizationManager.isSynchronizationActive() || commits.hasBegun(bound)) {
            throw new IllegalTransactionStateException("The transaction is already completed, so the message would not"
                    + " be committed with it: publish it before the commit (as in a BEFORE_COMMIT listener), or give the"
                    + " afterCommit or afterCompletion callback a transaction of its own (REQUIRES_NEW).");
        }
    }

    /**
     * Whether a transaction manager bound it. JPA's binds a holder that does not know of its transaction; one that DataSourceUtils
     * binds for a reader is released at the end of the transaction, uncommitted.
     */
    private boolean isTransactional(@Nullable Object bound) {
        return bound instanceof ConnectionHolder holder
                && (!holder.isSynchronizedWithTransaction() || isInJdbcTransaction());
    }

    private boolean isInJdbcTransaction() {
        try {
            return transactions.getTransaction(ANY).hasTransaction();
        } catch (IllegalTransactionStateException none) {
            return false;
        }
    }
}
