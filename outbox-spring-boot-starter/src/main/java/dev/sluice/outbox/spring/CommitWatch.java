package dev.sluice.outbox.spring;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * Listens to the application's transaction managers and remembers the connections whose commit has begun. Nothing else tells
 * an {@code afterCommit} callback from code before the commit: the connection stays bound, the transaction counts as active.
 */
final class CommitWatch implements BeanPostProcessor, TransactionExecutionListener {
    /** Connection holders: a transaction manager makes a new one for each transaction. */
    private final Set<Object> committing = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(this);
        }
        return bean;
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        if (transaction instanceof DefaultTransactionStatus status
                && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc
                && jdbc.hasConnectionHolder()) {
            committing.add(jdbc.getConnectionHolder());
        }
    }

    boolean hasBegun(@Nullable Object connectionHolder) {
        return committing.contains(connectionHolder);
    }
}
