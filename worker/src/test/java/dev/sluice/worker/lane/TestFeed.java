package dev.sluice.worker.lane;

/** A consumer whose coverage a test sets. */
public final class TestFeed implements Feed {
    public volatile long coverage;
    volatile int unsettled;

    @Override
    public long coverage() {
        return coverage;
    }

    @Override
    public synchronized void taken(int bytes) {
        unsettled++;
    }

    @Override
    public synchronized void settled(int bytes) {
        unsettled--;
    }

    @Override
    public void pullMore() {}

    @Override
    public boolean acksReplaced() {
        return true;
    }
}
