package dev.sluice.coordinate;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the claim of one partition, however long its owner keeps it: when it was released, when its owner is dead, or when
 * it names this very incarnation, which does not know of it. Each time by a compare-and-set that raises the epoch.
 */
final class Acquisition {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private static final Duration LONGEST_PAUSE_OF_A_LARGE_GROUP = Duration.ofSeconds(4);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);
    private static final Duration AFTER_A_FAILED_TAKEOVER = Duration.ofSeconds(1);
    private static final long NONE = -1;

    private final int partition;
    private final Layout layout;
    private final String key;
    private final Incarnation member;
    private final ClaimContext context;
    private final Supplier<LiveMembers> members;
    private final Runnable askForMembers;
    private final Claim.Watcher watcher;
    private final Clockwork.Signal rest;
    private final Duration longestPause;

    /** The revision that an unanswered write of ours expects: while the key has it, that write may still happen. */
    private long undecided = NONE;

    private long seenRevision = NONE;
    private long seenAt;

    /** @param askForMembers to have {@code members} read anew soon */
    Acquisition(
            int partition,
            Layout layout,
            Incarnation member,
            ClaimContext context,
            Supplier<LiveMembers> members,
            Runnable askForMembers,
            Claim.Watcher watcher) {
        this.partition = partition;
        this.layout = layout;
        this.key = context.keys().claim(layout.generation(), partition);
        this.member = member;
        this.context = context;
        this.members = members;
        this.askForMembers = askForMembers;
        this.watcher = watcher;
        this.rest = context.clockwork().signal();
        this.longestPause = longestPause(layout.partitions());
    }

    /** A release is told; this is for the store that does not. All partitions waiting at once look 500 times a second. */
    private static Duration longestPause(int partitions) {
        Duration pause = Duration.ofMillis(2L * partitions);
        if (pause.compareTo(LONGEST_PAUSE) < 0) {
            return LONGEST_PAUSE;
        }
        return pause.compareTo(LONGEST_PAUSE_OF_A_LARGE_GROUP) < 0 ? pause : LONGEST_PAUSE_OF_A_LARGE_GROUP;
    }

    /** Returns when it is taken, or, with null, when it is not wanted any more and no write of ours is left undecided. */
    @Nullable
    Claim take(BooleanSupplier wanted, Clockwork.Signal wake) {
        Duration pause = longestPause.equals(LONGEST_PAUSE) ? FIRST_PAUSE : longestPause.dividedBy(2);
        while (member.isLive()) {
            boolean answered = true;
            try {
                if (wanted.getAsBoolean()) {
                    Claim claim = attempt();
                    if (claim != null) {
                        return claim;
                    }
                } else if (undecided == NONE || settle()) {
                    return null;
                }
            } catch (StoreUnavailableException e) {
                context.journal().storeAway(e);
                answered = false;
            }
            rest.await(SHORTEST_PAUSE);
            wake.await(answered || pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
            pause = pause.plus(pause).compareTo(longestPause) < 0 ? pause.plus(pause) : longestPause;
        }
        return null;
    }

    private @Nullable Claim attempt() {
        Optional<Entry> entry = look();
        ClaimRecord now = entry.map(ClaimRecord::of).orElse(unclaimed());
        if (!mayTake(now)) {
            return null;
        }
        String position = position(now);
        if (position == null) {
            return null;
        }
        ClaimRecord mine = now.at(position).takenBy(member);
        OptionalLong revision = put(mine);
        if (revision.isEmpty()) {
            context.journal().claimFailed(partition);
            return null;
        }
        context.journal().claimed(partition, mine, now);
        return new Claim(partition, key, mine, revision.getAsLong(), member, context, watcher);
    }

    /** Where to go on; null when that could not be found out, and the claim must not be taken. */
    private @Nullable String position(ClaimRecord now) {
        Takeover takeover = context.takeover();
        if (takeover == null || now.isFree()) {
            return now.position();
        }
        try {
            return Claim.checkPosition(
                    takeover.position(partition, now.owner(), now.incarnation(), now.token(), now.position()));
        } catch (StoreUnavailableException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            if (!context.clockwork().goesOnAfter(e)) {
                throw e;
            }
            context.journal().takeoverFailed(partition, now, e);
            rest.await(AFTER_A_FAILED_TAKEOVER);
            return null;
        }
    }

    /** Makes sure that no unanswered write of ours gives us a claim that we do not know of. */
    private boolean settle() {
        Optional<Entry> entry = look();
        ClaimRecord now = entry.map(ClaimRecord::of).orElse(unclaimed());
        if (isMine(now)) {
            return put(now.released(now.position())).isPresent();
        }
        // Writing the same again takes the revision away from the write that may still come.
        return undecided == NONE || put(now).isPresent();
    }

    private Optional<Entry> look() {
        Optional<Entry> entry = context.store().get(key);
        long revision = entry.map(Entry::revision).orElse(CoordinationStore.ABSENT);
        if (revision != seenRevision) {
            seenRevision = revision;
            seenAt = context.clockwork().nanos();
        }
        if (revision != undecided) {
            undecided = NONE;
        }
        return entry;
    }

    private OptionalLong put(ClaimRecord next) {
        undecided = seenRevision;
        OptionalLong revision = member.lease().put(key, next.toBytes(), seenRevision);
        if (revision.isPresent()) {
            undecided = NONE;
        }
        return revision;
    }

    private boolean mayTake(ClaimRecord now) {
        if (now.closed()) {
            return false;
        }
        if (now.isFree() || isMine(now)) {
            return true;
        }
        LiveMembers live = members.get();
        if (live.isLive(now.owner(), now.incarnation())) {
            return false;
        }
        boolean dead = live.isDead(now.owner(), now.incarnation(), seenAt);
        if (!dead) {
            askForMembers.run();
        }
        return dead;
    }

    private boolean isMine(ClaimRecord now) {
        return now.owner().equals(member.id()) && now.incarnation().equals(member.name());
    }

    private ClaimRecord unclaimed() {
        return ClaimRecord.unclaimed(layout.generation(), layout.startOf(partition));
    }
}
