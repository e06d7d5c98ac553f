package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A member's ownership of one partition, as its user holds it. Every write through it is a compare-and-set on the stored
 * claim, so none succeeds after another member has taken the partition. Any thread may call; one write at a time is under
 * way, so that none of ours is refused because of another of ours.
 */
public final class Claim {
    /** However its characters are written down, a claim with such a position is no too large value. */
    public static final int LONGEST_POSITION = CoordinationStore.MAX_VALUE / 8;

    private static final Duration LOOK_FOR_TURN = Duration.ofMillis(100);

    private final int partition;
    private final String key;
    private final ClaimRecord taken;
    private final Incarnation owner;
    private final ClaimContext context;
    private final Watcher watcher;
    private final Clockwork.Signal turn;
    private boolean writing;
    private long revision;
    private String reported;
    private String saved;
    private @Nullable String keptElsewhere;
    private int unsavedReports;
    private long savedAt;
    private boolean closed;

    /** Who looks after the claim on the group's side. */
    interface Watcher {
        /** Something is to be saved, soon or now: {@link #untilSave}. */
        void saveDue();

        /** A write was refused: another member has the partition. */
        void fenced();
    }

    Claim(
            int partition,
            String key,
            ClaimRecord taken,
            long revision,
            Incarnation owner,
            ClaimContext context,
            Watcher watcher) {
        this.partition = partition;
        this.key = key;
        this.taken = taken;
        this.revision = revision;
        this.owner = owner;
        this.context = context;
        this.watcher = watcher;
        this.turn = context.clockwork().signal();
        this.reported = taken.position();
        this.saved = taken.position();
        this.savedAt = context.clockwork().nanos();
    }

    public int partition() {
        return partition;
    }

    /** The id of the member that holds this claim. */
    public String member() {
        return owner.id();
    }

    /** The name of the member's life that holds this claim; no other life of any member has it. */
    public String incarnation() {
        return owner.name();
    }

    /** To be put on every write to whatever this partition's user writes to, which refuses lower ones. */
    public FencingToken token() {
        return taken.token();
    }

    /** The last position that was reported, at first the one the owner before saved; empty when there never was one. */
    public synchronized String position() {
        return reported;
    }

    /** Whether to go on. Looks at the clock, not at the store: only a write that succeeds proves ownership. */
    public boolean isHeld() {
        return !isClosed() && owner.isLive();
    }

    /** How long no other member can take the partition, without another renewal of our lease; for ever where there are no others. */
    public Duration untilDeadline() {
        return context.store().isOfOneProcess() ? ChronoUnit.FOREVER.getDuration() : owner.untilDeadline();
    }

    /**
     * Remembers how far the user got; it is saved by the group's {@link SavePolicy}, and before a release.
     *
     * @throws InvalidInputException when it is longer than {@link #LONGEST_POSITION}; the one before stays
     */
    public void report(String position) {
        checkPosition(position);
        boolean due;
        synchronized (this) {
            if (closed) {
                return;
            }
            reported = position;
            unsavedReports++;
            due = unsavedReports == 1 || unsavedReports == context.policy().count();
        }
        if (due) {
            watcher.saveDue();
        }
    }

    static String checkPosition(String position) {
        if (position.length() > LONGEST_POSITION) {
            throw new InvalidInputException("a position has at most " + LONGEST_POSITION + " characters, not "
                    + position.length() + ": keep large things elsewhere, and report where");
        }
        return position;
    }

    /**
     * Reports and saves now.
     *
     * @return false when the claim is not held any more: nothing was saved, and nothing will be
     * @throws StoreUnavailableException when nobody knows; the group tries again by its policy
     */
    public boolean save(String position) {
        report(position);
        return isHeld() && write(Write.SAVE);
    }

    enum Write {
        SAVE,
        RELEASE,
        /** A release after a failure. */
        GIVE_BACK
    }

    /**
     * Releases after a failure, at the position that was saved last: what was reported since may be the cause. A user with a
     * {@link Takeover} saves elsewhere, so that one is asked, as after a death; otherwise the next owner would go on where this
     * one began.
     */
    boolean giveBack() {
        Takeover takeover = context.takeover();
        if (takeover != null) {
            String kept = checkPosition(
                    takeover.position(partition, taken.owner(), taken.incarnation(), taken.token(), savedPosition()));
            synchronized (this) {
                keptElsewhere = kept;
            }
        }
        return write(Write.GIVE_BACK);
    }

    private synchronized String savedPosition() {
        return saved;
    }

    /** Writes until it is decided; false when the claim is not ours any more. */
    boolean write(Write write) {
        while (!takeTurn()) {
            if (!owner.isLive()) {
                return false;
            }
            turn.await(LOOK_FOR_TURN);
        }
        try {
            return writeInTurn(write);
        } finally {
            endTurn();
        }
    }

    private synchronized boolean takeTurn() {
        boolean free = !writing;
        writing = true;
        return free;
    }

    private void endTurn() {
        synchronized (this) {
            writing = false;
        }
        turn.raise();
    }

    /**
     * Not under the lease: that it is still ours is proven by the compare-and-set alone, and a save would only hold up the
     * renewal.
     */
    private boolean writeInTurn(Write write) {
        while (owner.isLive()) {
            long expected;
            ClaimRecord next;
            synchronized (this) {
                if (closed && write == Write.SAVE) {
                    // Or it would expect the revision of the release, and take that back.
                    return false;
                }
                // The revision first, then the position: whoever wrote that revision did not know a newer position.
                expected = revision;
                next = next(write);
            }
            OptionalLong written = context.store().put(key, next.toBytes(), expected);
            if (written.isPresent()) {
                adopt(written.getAsLong(), next.position());
                context.journal().saved();
                return true;
            }
            Optional<Entry> entry = context.store().get(key);
            if (write != Write.SAVE && isReleased(entry)) {
                return true;
            }
            if (!isOurs(entry)) {
                lose(write);
                return false;
            }
            if (entry.get().revision() <= expected) {
                // A stale read tells nothing that another attempt at once would not repeat.
                throw new StoreUnavailableException("The store refuses to write " + key + " at revision " + expected
                        + " and reads it at " + entry.get().revision() + ": retried by the save policy.");
            }
            adopt(entry.get().revision(), ClaimRecord.of(entry.get()).position());
        }
        return false;
    }

    private ClaimRecord next(Write write) {
        return switch (write) {
            case SAVE -> taken.at(reported);
            case RELEASE -> taken.released(reported);
            case GIVE_BACK -> taken.released(keptElsewhere == null ? saved : keptElsewhere);
        };
    }

    /** Our own release, decided late. */
    private boolean isReleased(Optional<Entry> entry) {
        return entry.map(ClaimRecord::of)
                .filter(now -> now.isFree() && now.token().equals(taken.token()))
                .isPresent();
    }

    private boolean isOurs(Optional<Entry> entry) {
        return entry.map(ClaimRecord::of).filter(taken::isSameOwnership).isPresent();
    }

    /** A save that was under way while the claim was being released is refused as well: that is no news. */
    private void lose(Write write) {
        if (write != Write.SAVE || !isClosed()) {
            context.journal().refused(this);
        }
        close();
        watcher.fenced();
    }

    private synchronized void adopt(long newRevision, String position) {
        if (newRevision > revision) {
            revision = newRevision;
            saved = position;
            savedAt = context.clockwork().nanos();
            unsavedReports = reported.equals(saved) ? 0 : Math.max(1, unsavedReports);
        }
    }

    /** How long until the reported position is to be saved; zero when now. */
    synchronized Duration untilSave() {
        if (reported.equals(saved)) {
            return context.policy().interval();
        }
        long waited = context.clockwork().nanos() - savedAt;
        Duration left = context.policy().interval().minusNanos(waited);
        return unsavedReports >= context.policy().count() || left.isNegative() ? Duration.ZERO : left;
    }

    /** The user reports and saves nothing more. */
    synchronized void close() {
        closed = true;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public String toString() {
        return "partition " + partition + " under " + token();
    }
}
