package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.Ownership;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.FencingToken;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.BiConsumer;

/** One partition's claim through all its owners: what was saved survives, what was only reported may not. */
final class SimulatedClaim {
    private final int partition;
    private final BiConsumer<Integer, String> watcher;
    private String saved = "";
    private String reported = "";
    private long epoch;

    /** The store does not answer. */
    boolean away;

    /** So many characters does the store take. */
    int longest = Claim.LONGEST_POSITION;

    /** How long the lease of its owner lives without another renewal. */
    Duration untilDeadline = ChronoUnit.FOREVER.getDuration();

    /** Runs while a position is being saved. */
    Runnable whileSaving = () -> {};

    /** @param watcher sees every position that is reported */
    SimulatedClaim(int partition, BiConsumer<Integer, String> watcher) {
        this.partition = partition;
        this.watcher = watcher;
    }

    /** What the group does from time to time. */
    void persist() {
        saved = reported;
    }

    /** The store begins with this. */
    void restore(String position) {
        saved = position;
        reported = position;
    }

    int partition() {
        return partition;
    }

    FencingToken token() {
        return new FencingToken(1, epoch);
    }

    String saved() {
        return saved;
    }

    /** A new owner; the one before is fenced. */
    Ownership take() {
        epoch++;
        reported = saved;
        long mine = epoch;
        return new Ownership() {
            @Override
            public int partition() {
                return partition;
            }

            @Override
            public FencingToken token() {
                return new FencingToken(1, mine);
            }

            @Override
            public String position() {
                return reported;
            }

            @Override
            public int longestPosition() {
                return longest;
            }

            @Override
            public boolean isHeld() {
                return epoch == mine;
            }

            @Override
            public Duration untilDeadline() {
                return untilDeadline;
            }

            @Override
            public void report(String position) {
                if (isHeld()) {
                    watcher.accept(partition, position);
                    reported = position;
                }
            }

            @Override
            public boolean save(String position) {
                whileSaving.run();
                report(position);
                if (away) {
                    throw new StoreUnavailableException("the simulated store is away");
                }
                if (isHeld()) {
                    persist();
                }
                return isHeld();
            }
        };
    }
}
