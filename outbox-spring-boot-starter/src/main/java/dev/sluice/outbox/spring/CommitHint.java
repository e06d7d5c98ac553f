package dev.sluice.outbox.spring;

import dev.sluice.outbox.Outbox;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Tells the outbox of a commit, once per transaction, however many messages were written in it. */
final class CommitHint implements TransactionSynchronization {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxPublisher.class);

    private final Outbox outbox;
    private boolean committed;

    private CommitHint(Outbox outbox) {
        this.outbox = outbox;
    }

    static void afterCommitOf(Outbox outbox) {
        if (!TransactionSynchronizationManager.hasResource(outbox)) {
            CommitHint hint = new CommitHint(outbox);
            TransactionSynchronizationManager.registerSynchronization(hint);
            hint.resume();
        }
    }

    /** Whether the transaction that this thread is in is committed already, as far as an earlier message of it can tell. */
    static boolean isCommitted(Outbox outbox) {
        return TransactionSynchronizationManager.getResource(outbox) instanceof CommitHint hint && hint.committed;
    }

    /** First of all callbacks: a message that another one publishes after the commit is refused. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** Not called when the hint was registered by such a callback. */
    @Override
    public void afterCommit() {
        committed = true;
        outbox.committed();
    }

    /** While another transaction runs on this thread, it is told of by a hint of its own. */
    @Override
    public void suspend() {
        TransactionSynchronizationManager.unbindResourceIfPossible(outbox);
    }

    @Override
    public void resume() {
        TransactionSynchronizationManager.bindResource(outbox, this);
    }

    @Override
    public void afterCompletion(int status) {
        suspend();
        if (status == STATUS_COMMITTED && !committed) {
            LOG.error(
                    "A message was published after the commit of its transaction, by an afterCommit callback, so it may be"
                            + " lost: publish it before the commit, or in a transaction of its own (REQUIRES_NEW). Make the transaction"
                            + " manager a bean, then such a message is refused.");
        }
    }
}
