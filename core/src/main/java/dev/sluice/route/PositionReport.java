package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.deliver.Reason;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands a partition's position to its claim: after so long, after so many acknowledged matches, and whenever somebody
 * needs it. What is handed over is never ahead of what was acknowledged when it was made.
 */
final class PositionReport {
    private static final Logger LOG = LoggerFactory.getLogger(PositionReport.class);

    /** Beyond that anybody counts as named, until the next time all is saved at once. */
    private static final int MOST_NAMED = 100_000;

    private final Partition partition;
    private final Surroundings around;

    /** So that a position never comes after a newer one. Taken before the partition's. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile long lastAt;
    private volatile long lastCount;
    /** All that may be named by what the store has: it may be what was handed over last, or something before. */
    private volatile Set<String> named;

    private String last = "";

    /** @param named the subscriptions that the position before named */
    PositionReport(Partition partition, Surroundings around, Set<String> named) {
        this.partition = partition;
        this.around = around;
        this.lastAt = around.turns().nanos();
        this.named = named;
    }

    void ifDue() {
        long sinceNanos = around.turns().nanos() - lastAt;
        boolean due = sinceNanos >= around.settings().reportInterval().toNanos()
                || partition.acknowledged() - lastCount >= around.settings().reportCount();
        // Whoever delivers does not wait for somebody who saves.
        if (due && turn.tryLock()) {
            try {
                now();
            } finally {
                turn.unlock();
            }
        }
    }

    void now() {
        if (!partition.isOpen()) {
            return;
        }
        turn.lock();
        long start = around.turns().nanos();
        try {
            lastAt = start;
            lastCount = partition.acknowledged();
            SavedPosition saved = partition.saved();
            Set<String> naming = saved == null ? Set.of() : saved.starting().keySet();
            String text = text(saved);
            if (!text.isEmpty() && !text.equals(last)) {
                partition.ownership().report(text);
                last = text;
                alsoNamed(naming);
                around.counters().reports.increment();
            }
        } catch (Throwable e) {
            around.counters().reportErrors.increment();
            LOG.atError()
                    .addKeyValue("partition", partition.partition())
                    .setCause(e)
                    .log("a position cannot be reported: after a restart more comes twice");
        } finally {
            around.counters().reportNanos.add(around.turns().nanos() - start);
            turn.unlock();
        }
    }

    /**
     * Saves now. Returns false when the partition is not ours any more.
     *
     * @throws StoreUnavailableException when nobody knows
     */
    boolean save() {
        turn.lock();
        try {
            SavedPosition saved = partition.saved();
            Set<String> naming = saved == null ? Set.of() : saved.starting().keySet();
            alsoNamed(naming);
            String text = text(saved);
            last = text.isEmpty() ? partition.ownership().position() : text;
            around.counters().reports.increment();
            boolean ours = partition.ownership().save(last);
            named = ours ? naming : named;
            return ours;
        } finally {
            turn.unlock();
        }
    }

    /** What is handed over is not saved yet: after a crash it may be the one before that counts. */
    private void alsoNamed(Set<String> naming) {
        Set<String> either = new HashSet<>(named);
        either.addAll(naming);
        named = either;
    }

    /**
     * Whether the store still says that the partition is ours. While that is not known, whatever the cause, the claim's own
     * deadline decides: the caller waits for an answer.
     */
    boolean proves() {
        try {
            return save();
        } catch (Throwable e) {
            LOG.atWarn()
                    .addKeyValue("partition", partition.partition())
                    .addKeyValue("reason", Reason.of(e))
                    .log("the store does not say who owns the partition: its claim's deadline decides");
            return partition.ownership().isHeld();
        }
    }

    /** Whether a position that is saved may say where this subscription stands. */
    boolean names(String subscriptionId) {
        return named.size() > MOST_NAMED || named.contains(subscriptionId);
    }

    private static String text(@Nullable SavedPosition saved) {
        return saved == null ? "" : saved.text(Claim.LONGEST_POSITION);
    }
}
