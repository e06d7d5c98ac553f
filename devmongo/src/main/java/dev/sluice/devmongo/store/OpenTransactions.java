package dev.sluice.devmongo.store;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.oplog.TransactionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that have not ended, oldest first, and the writers that wait for them. None lives longer than its
 * limit: whoever would wait for it, or uses it, ends it, so that no thread is needed. Guarded by the store's lock.
 */
final class OpenTransactions {
    private final Condition ended;
    private final long lifetimeNanos;
    private final LongSupplier nanos;
    private final Map<Transaction, Long> deadlines = new LinkedHashMap<>();
    /** A new one for each interruption, so that only those who waited at that moment see it. */
    private @Nullable CommandException interruption;

    private int waiting;

    OpenTransactions(Condition ended, Duration lifetime, LongSupplier nanos) {
        this.ended = ended;
        this.lifetimeNanos = lifetime.toNanos();
        this.nanos = nanos;
    }

    Transaction begin(TransactionId id) {
        Transaction transaction = new Transaction(id);
        deadlines.put(transaction, nanos.getAsLong() + lifetimeNanos);
        return transaction;
    }

    /** To be called after a commit or an abort. */
    void ended(Transaction transaction) {
        deadlines.remove(transaction);
        ended.signalAll();
    }

    void abort(Transaction transaction) {
        transaction.abort();
        ended(transaction);
    }

    void abortExpired() {
        long now = nanos.getAsLong();
        while (!deadlines.isEmpty() && oldestDeadline() - now <= 0) {
            abort(deadlines.keySet().iterator().next());
        }
    }

    /** Aborts all; writers that wait for one get {@code reason} instead of their turn. */
    void abortAll(CommandException reason) {
        interruption = reason;
        new ArrayList<>(deadlines.keySet()).forEach(this::abort);
        ended.signalAll();
    }

    /** Waits until {@code free} holds; at the latest when the transactions that hold it have outlived their limit. */
    void await(BooleanSupplier free) {
        abortExpired();
        if (!free.getAsBoolean()) {
            waiting++;
            ended.signalAll();
            try {
                awaitUninterrupted(free);
            } finally {
                waiting--;
                ended.signalAll();
            }
        }
    }

    private void awaitUninterrupted(BooleanSupplier free) {
        CommandException before = interruption;
        while (!free.getAsBoolean()) {
            awaitNextEnd();
            if (interruption != before && interruption != null) {
                throw interruption;
            }
            abortExpired();
        }
    }

    /** Waits until exactly {@code n} writers wait; false if that takes longer than {@code limit}. */
    boolean awaitWaiting(int n, Duration limit) throws InterruptedException {
        long left = limit.toNanos();
        while (waiting != n && left > 0) {
            left = ended.awaitNanos(left);
        }
        return waiting == n;
    }

    private void awaitNextEnd() {
        try {
            long left = deadlines.isEmpty() ? lifetimeNanos : oldestDeadline() - nanos.getAsLong();
            ended.await(left, TimeUnit.NANOSECONDS);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new CommandException(11601, "Interrupted", "operation was interrupted");
        }
    }

    private long oldestDeadline() {
        return deadlines.values().iterator().next();
    }
}
