package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.FencingToken;

/** A claim as routing uses it; see {@link Claim}, whose methods these are. */
interface Ownership {
    int partition();

    FencingToken token();

    String position();

    boolean isHeld();

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
