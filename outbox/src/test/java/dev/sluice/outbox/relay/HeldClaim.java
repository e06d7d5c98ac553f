package dev.sluice.outbox.relay;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Slice;

/** A claim on all rows that is held, and remembers for whom it was opened. */
final class HeldClaim implements Ownership {
    private final FencingToken token;
    private String openedFor = "";

    HeldClaim(FencingToken token) {
        this.token = token;
    }

    @Override
    public int partition() {
        return 0;
    }

    @Override
    public FencingToken token() {
        return token;
    }

    @Override
    public Slice slice() {
        return new Slice(0, 1, 1);
    }

    @Override
    public boolean isHeld() {
        return true;
    }

    @Override
    public boolean wasOpened(String identity) {
        return openedFor.equals(identity);
    }

    @Override
    public boolean opened(String identity) {
        openedFor = identity;
        return true;
    }
}
