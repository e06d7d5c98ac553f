package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.ProgressMarker;
import org.jspecify.annotations.Nullable;

/**
 * How far the head of one partition has been read, which of its events came before under this claim, and which may have
 * been sent by an owner before. Guarded by its partition's lock.
 */
final class PartitionHead {
    private final Positions at;
    private final Dedup taken;

    /**
     * The head of the log when it was claimed: the owner before may have sent up to there, its position does not tell. Or a
     * later event that was taken by half.
     */
    private final Positions claimedAt;

    private boolean knowsHeadAtClaim;
    private long ordinal;

    /** @param saved where the owner before left off; null: there was none */
    PartitionHead(@Nullable SavedPosition saved, Dedup taken) {
        this.at = saved == null ? Positions.nowhere() : Positions.of(saved.low());
        this.claimedAt = saved == null ? Positions.nowhere() : Positions.of(saved.head());
        this.knowsHeadAtClaim = saved == null;
        this.taken = taken;
    }

    /** It is not known yet where now is. */
    boolean isNowhere() {
        return at.isNowhere();
    }

    /** It moves on while it is looked at. */
    Positions at() {
        return at;
    }

    /** So many events were taken under this claim. */
    long ordinal() {
        return ordinal;
    }

    int remembered() {
        return taken.size();
    }

    /** The first batch of a partition nobody has worked on says where now was. */
    void begin(EventFeed.Batch first) {
        if (at.isNowhere()) {
            at.move(first.passed());
            for (int k = first.events().size() - 1; k >= 0; k--) {
                ChangeEvent event = first.events().get(k).event();
                at.move(event.backend(), before(event));
            }
        }
    }

    /** Until this is called everything may have been sent before. */
    void claimedAt(ProgressMarker now) {
        claimedAt.raise(Positions.of(now));
        knowsHeadAtClaim = true;
    }

    /** Marks an event whose routing failed halfway: it is read again, and some lanes may already have it. */
    void mayHaveGiven(ChangeEvent event) {
        if (!claimedAt.mayCover(event)) {
            claimedAt.move(event.backend(), event.id());
        }
    }

    /** One that came before under this claim is passed. */
    boolean passesRepeat(ChangeEvent event, long now) {
        if (!taken.contains(event.backend(), event.id(), now)) {
            return false;
        }
        at.move(event.backend(), event.id());
        return true;
    }

    /** An event is about to be taken: whoever falls behind with it must know where its backend stood. */
    void reaches(ChangeEvent event) {
        if (at.at(event.backend()) == null) {
            at.move(event.backend(), before(event));
        }
    }

    /** Everybody has it, or has fallen behind: only now does a repeat of it count as one. */
    void took(ChangeEvent event, long now) {
        at.move(event.backend(), event.id());
        ordinal++;
        taken.mark(event.backend(), event.id(), now);
    }

    void passed(ProgressMarker marker) {
        at.move(marker);
    }

    /** What it was about to read is gone. */
    void jump(ProgressMarker oldest) {
        at.raise(Positions.of(oldest));
    }

    /** Whether it may have been sent, by the owner before for example; always, until it is known where the log ended then. */
    boolean mayHaveBeenSent(ChangeEvent event) {
        return !knowsHeadAtClaim || claimedAt.mayCover(event);
    }

    boolean knowsHeadAtClaim() {
        return knowsHeadAtClaim;
    }

    /** Up to where events have been sent, by whomever: what is at or before it may come twice. */
    ProgressMarker told() {
        Positions told = at.copy();
        told.raise(claimedAt);
        return told.marker();
    }

    /** A position from which the event, and all of its time, is still to come. */
    static EventId before(ChangeEvent event) {
        return new EventId(event.clusterTime(), 0);
    }
}
