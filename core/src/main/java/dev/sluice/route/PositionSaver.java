package dev.sluice.route;

import dev.sluice.coordinate.Ownership;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.deliver.Reason;
import dev.sluice.saved.SavedPosition;
import dev.sluice.saved.SavedPositionText;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands a partition's position to its claim: after so long, after so many settled matches, and whenever it must be saved. What
 * is handed over is never ahead of what was settled when it was made, and never overwritten by an older one: one save at a
 * time. Any thread may call.
 */
final class PositionSaver {
    private static final Logger LOG = LoggerFactory.getLogger(PositionSaver.class);

    private final Ownership ownership;
    private final StreamerContext context;
    private final Supplier<SavedPosition> position;
    private long lastAt;
    private long settled;
    private String last = "";

    /** The last position did not fit. */
    private boolean shortened;

    PositionSaver(Ownership ownership, StreamerContext context, Supplier<SavedPosition> position) {
        this.ownership = ownership;
        this.context = context;
        this.position = position;
        this.lastAt = context.turns().nanos();
    }

    void settled(int matches) {
        settled += matches;
    }

    void reportIfDue() {
        long sinceNanos = context.turns().nanos() - lastAt;
        if (sinceNanos >= context.settings().reportInterval().toNanos()
                || settled >= context.settings().reportCount()) {
            report();
        }
    }

    /** The position as it is saved: one that begins earlier and names fewer, where the whole one does not fit. */
    private String text() {
        SavedPosition now = position.get();
        int longest = ownership.longestPosition();
        String whole = SavedPositionText.write(now);
        boolean fits = whole.length() <= longest;
        if (!fits) {
            context.counters().positionsShortened.increment();
        }
        if (!fits && !shortened) {
            LOG.atWarn()
                    .addKeyValue("partition", ownership.partition())
                    .addKeyValue("characters", whole.length())
                    .addKeyValue("longest", longest)
                    .log(
                            "a position is too long to be saved: one that begins earlier is saved instead, and after a restart"
                                    + " more events come twice");
        }
        shortened = !fits;
        return fits ? whole : SavedPositionText.write(now, longest);
    }

    /** Hands the position to the claim, which saves it by its own policy. */
    synchronized void report() {
        long start = context.turns().nanos();
        lastAt = start;
        settled = 0;
        try {
            String text = text();
            if (!text.equals(last)) {
                ownership.report(text);
                last = text;
                context.counters().reports.increment();
            }
        } catch (Throwable e) {
            context.counters().reportErrors.increment();
            LOG.atError()
                    .addKeyValue("partition", ownership.partition())
                    .setCause(e)
                    .log("a position cannot be reported: after a restart more events come twice");
        } finally {
            context.counters().reportNanos.add(context.turns().nanos() - start);
        }
    }

    /**
     * Saves now. Returns false when the partition is not ours any more.
     *
     * @throws StoreUnavailableException when that is not known
     */
    synchronized boolean save() {
        String text = text();
        context.counters().reports.increment();
        boolean ours = ownership.save(text);
        last = text;
        return ours;
    }

    /**
     * Whether the store still says that the partition is ours. While that is not known, whatever the cause, the claim's own
     * deadline decides.
     */
    boolean proves() {
        try {
            return save();
        } catch (Throwable e) {
            LOG.atWarn()
                    .addKeyValue("partition", ownership.partition())
                    .addKeyValue("reason", Reason.of(e))
                    .log("the store does not say who owns the partition: its claim's deadline decides");
            return ownership.isHeld();
        }
    }
}
