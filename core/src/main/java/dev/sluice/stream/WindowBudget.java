package dev.sluice.stream;

/**
 * What the catch-up windows of all consumers together may take of the heap. A window asks before it grows; refused, it
 * ends where it is, and a window that cannot even begin is done without (its consumer gets every change meanwhile). So
 * nobody ever waits here, and however many consumers catch up or stand still, this is all they cost. Any thread may ask.
 */
public final class WindowBudget {
    private final long total;
    private long taken;

    public WindowBudget(long total) {
        this.total = total;
    }

    /**
     * More for a window that holds so much; false if it gets nothing. None may hold more than it leaves free, so that
     * the next one finds something too: a single window gets half of everything, <i>n</i> of them an <i>n+1</i>th each.
     */
    synchronized boolean take(long held, long more) {
        boolean granted = held + more <= total - taken - more;
        taken += granted ? more : 0;
        return granted;
    }

    synchronized void give(long back) {
        taken -= back;
    }

    /** What all windows hold now. */
    public synchronized long taken() {
        return taken;
    }

    public long total() {
        return total;
    }
}
