package dev.sluice.outbox.spring;

import dev.sluice.outbox.Outbox;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Tells the outbox of a commit, once per transaction, however many messages were written in it. */
final class CommitHint implements TransactionSynchronization {
    private final Outbox outbox;

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

    @Override
    public void afterCommit() {
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
    }
}
