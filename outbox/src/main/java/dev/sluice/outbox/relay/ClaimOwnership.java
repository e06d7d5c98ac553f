package dev.sluice.outbox.relay;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Slice;

/** A claim of the group; its position says under which generation, and for which tables, the sink was opened last. */
record ClaimOwnership(Claim claim, Slice slice) implements Ownership {
    @Override
    public int partition() {
        return claim.partition();
    }

    @Override
    public FencingToken token() {
        return claim.token();
    }

    @Override
    public boolean isHeld() {
        return claim.isHeld();
    }

    @Override
    public boolean wasOpened(String identity) {
        return claim.position().equals(mark(identity));
    }

    @Override
    public boolean opened(String identity) {
        try {
            return claim.save(mark(identity));
        } catch (StoreUnavailableException undecided) {
            return false;
        }
    }

    private String mark(String identity) {
        return "opened " + claim.token().generation() + ' ' + identity;
    }

    /** Either of them: a partition of a new generation was never opened under it, and it is only compared for equality. */
    static String lower(String one, String other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
