package dev.sluice.outbox.relay;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Slice;

/** A claim that counts only while the old lock is held too. */
record LockedOwnership(Ownership claim, OldLock lock) implements Ownership {
    @Override
    public int partition() {
        return claim.partition();
    }

    @Override
    public FencingToken token() {
        return claim.token();
    }

    @Override
    public Slice slice() {
        return claim.slice();
    }

    @Override
    public boolean isHeld() {
        return claim.isHeld() && lock.isHeld();
    }

    @Override
    public boolean wasOpened() {
        return claim.wasOpened();
    }

    @Override
    public boolean opened() {
        return claim.opened();
    }

    @Override
    public void close() {
        lock.close();
    }
}
