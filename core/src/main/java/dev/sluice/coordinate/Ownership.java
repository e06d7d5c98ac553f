package dev.sluice.coordinate;

import dev.sluice.model.FencingToken;
import java.time.Duration;

/** A claim as a user of partitions sees it, so that a simulation can take its place; see {@link Claim}, whose methods these are. */
public interface Ownership {
    int partition();

    FencingToken token();

    String position();

    boolean isHeld();

    Duration untilDeadline();

    void report(String position);

    /** How many characters of a position can be saved. */
    default int longestPosition() {
        return Claim.LONGEST_POSITION;
    }

    /**
     * @return false when the claim is not held any more
     * @throws StoreUnavailableException when nobody knows
     */
    boolean save(String position);

    static Ownership of(Claim claim) {
        return new Ownership() {
            @Override
            public int partition() {
                return claim.partition();
            }

            @Override
            public FencingToken token() {
                return claim.token();
            }

            @Override
            public String position() {
                return claim.position();
            }

            @Override
            public boolean isHeld() {
                return claim.isHeld();
            }

            @Override
            public Duration untilDeadline() {
                return claim.untilDeadline();
            }

            @Override
            public void report(String position) {
                claim.report(position);
            }

            @Override
            public boolean save(String position) {
                return claim.save(position);
            }
        };
    }
}
