package dev.sluice.coordinate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One partition on this member, from "shall own it" to "has nothing to do with it", on a thread of its own:
 *
 * <pre>
 * WAITING ──▶ HELD ──▶ REVOKING ──▶ RELEASING ──▶ end
 *                └────────┴──▶ LOST ─────────────▶ end
 * </pre>
 */
final class PartitionSlot implements Claim.Watcher {
    enum State {
        /** For the claim to be free. */
        WAITING,
        /** The user works. */
        HELD,
        /** The user is asked to stop. */
        REVOKING,
        /** The user has stopped, or its time is over. */
        RELEASING,
        /** Another member has the partition, or may soon have it. */
        LOST
    }

    private static final Duration AFTER_A_FAILED_START = Duration.ofSeconds(5);

    private final int partition;
    private final Layout layout;
    private final Incarnation member;
    private final Claims claims;
    private final ClaimContext context;
    private final Duration untilFirstLook;
    private final Clockwork.Signal wake;
    private @Nullable Long revokeAt;
    private State state = State.WAITING;
    private boolean wanted = true;
    private @Nullable Claim claim;
    private @Nullable UserCalls calls;

    /** @param untilFirstLook how long to wait for a hint before the claim is read for the first time */
    PartitionSlot(
            int partition,
            Layout layout,
            Incarnation member,
            Claims claims,
            ClaimContext context,
            Duration untilFirstLook) {
        this.untilFirstLook = untilFirstLook;
        this.partition = partition;
        this.layout = layout;
        this.member = member;
        this.claims = claims;
        this.context = context;
        this.wake = context.clockwork().signal();
    }

    /** The whole life of the slot. */
    void run() {
        try {
            if (untilFirstLook.isPositive()) {
                wake.await(untilFirstLook);
            }
            Claim taken = new Acquisition(
                            partition, layout, member, context, claims::members, claims::askForMembers, this)
                    .take(this::isWanted, wake);
            if (taken != null) {
                use(taken);
            }
        } catch (RuntimeException | Error e) {
            if (!context.clockwork().goesOnAfter(e)) {
                throw e;
            }
            context.journal().failed("partition " + partition, e);
            lose("a bug");
            giveBack();
            rest();
        } finally {
            claims.ended(this);
        }
    }

    /** A claim that names a live member is nobody else's: the slot does not end before it is released, or life is over. */
    private void giveBack() {
        Claim taken = awaitUser();
        while (taken != null && member.isLive()) {
            try {
                taken.close();
                taken.giveBack();
                return;
            } catch (StoreUnavailableException e) {
                context.journal().storeAway(e);
            } catch (RuntimeException | Error e) {
                if (!context.clockwork().goesOnAfter(e)) {
                    throw e;
                }
                context.journal().failed("giving back " + taken, e);
            }
            rest();
        }
    }

    private @Nullable Claim awaitUser() {
        Claim taken;
        UserCalls user;
        synchronized (this) {
            taken = claim;
            user = calls;
        }
        if (user != null) {
            user.await(claims.handoffTimeout());
        }
        return taken;
    }

    private void rest() {
        context.clockwork().signal().await(AFTER_A_FAILED_START);
    }

    private void use(Claim taken) {
        UserCalls user = new UserCalls(claims.user(), taken, context.clockwork(), context.journal(), wake);
        Handoff handoff = new Handoff(taken, user, claims.handoffTimeout(), claims.retry(), context, wake);
        if (!hold(taken, user)) {
            handoff.release();
            return;
        }
        user.assigned();
        saveUntilAsked(taken, user);
        if (user.isFailed()) {
            handOver(handoff);
            rest();
        } else if (state() == State.REVOKING) {
            handoff.drain(() -> state() == State.REVOKING);
            handOver(handoff);
        }
        user.await(claims.handoffTimeout());
    }

    private void saveUntilAsked(Claim taken, UserCalls user) {
        while (state() == State.HELD && !user.isFailed()) {
            if (!taken.isHeld()) {
                lose("its member's life is over");
                return;
            }
            Duration left = taken.untilSave();
            if (!left.isZero() || hasItsTurn()) {
                awaitTurn(left);
                continue;
            }
            try {
                taken.write(Claim.Write.SAVE);
            } catch (StoreUnavailableException e) {
                context.journal().storeAway(e);
                wake.await(claims.retry());
            }
        }
    }

    /** Also a partition whose positions are saved without a pause is given up in its turn. */
    private synchronized boolean hasItsTurn() {
        return revokeAt != null && revokeAt - context.clockwork().nanos() <= 0;
    }

    /** Waits so long, or until it is this partition's turn to be given up, which begins then. */
    private void awaitTurn(Duration atMost) {
        Long turn;
        synchronized (this) {
            turn = revokeAt;
        }
        if (turn == null) {
            wake.await(atMost);
            return;
        }
        Duration left = Duration.ofNanos(turn - context.clockwork().nanos());
        if (left.isPositive()) {
            wake.await(left.compareTo(atMost) < 0 ? left : atMost);
        } else {
            revoke(Duration.ZERO);
        }
    }

    private void handOver(Handoff handoff) {
        if (beginRelease()) {
            handoff.release();
        }
    }

    /** Not when it was revoked or over while it was being taken. */
    private synchronized boolean hold(Claim taken, UserCalls user) {
        claim = taken;
        calls = user;
        boolean holds = wanted && taken.isHeld();
        state = holds ? State.HELD : State.RELEASING;
        return holds;
    }

    private synchronized boolean beginRelease() {
        boolean begins = state == State.HELD || state == State.REVOKING;
        if (begins) {
            state = State.RELEASING;
        }
        return begins;
    }

    /** Another member shall have it, after this time unless it is told otherwise before. */
    void revoke(Duration turn) {
        synchronized (this) {
            if (!wanted) {
                return;
            }
            if (turn.isPositive() && state == State.HELD) {
                revokeAt = context.clockwork().nanos() + turn.toNanos();
            } else {
                wanted = false;
                state = state == State.HELD ? State.REVOKING : state;
            }
        }
        wake.raise();
    }

    /** Whether it is known when this partition is given up, or is being given up. */
    synchronized boolean hasTurn() {
        return !wanted || revokeAt != null;
    }

    /** It is this member's again, if its turn to be given up has not come. */
    synchronized void stay() {
        revokeAt = null;
    }

    /** Stops the user at once; from any thread, without a call of the store. */
    void lose(String why) {
        Claim gone;
        UserCalls user;
        synchronized (this) {
            wanted = false;
            boolean inUse = state == State.HELD || state == State.REVOKING;
            state = inUse ? State.LOST : state;
            gone = inUse ? claim : null;
            user = inUse ? calls : null;
        }
        if (gone != null && user != null) {
            gone.close();
            context.journal().lost(gone, why);
            user.lost();
        }
        wake.raise();
    }

    @Override
    public void saveDue() {
        wake.raise();
    }

    @Override
    public void fenced() {
        lose("another member took it");
    }

    void wake() {
        wake.raise();
    }

    int partition() {
        return partition;
    }

    long generation() {
        return layout.generation();
    }

    Incarnation member() {
        return member;
    }

    synchronized State state() {
        return state;
    }

    private synchronized boolean isWanted() {
        return wanted;
    }

    /** The claim while the user may work with it. */
    synchronized @Nullable Claim held() {
        return state == State.HELD || state == State.REVOKING ? claim : null;
    }
}
