package dev.sluice.route;

/**
 * How many catch-ups may read at once: a reader keeps a few megabytes, whoever it reads for. Who finds no seat waits, as a
 * position; who has one leaves it after a while if somebody else waits. Any thread may call.
 */
final class ReaderSeats {
    private final int seats;
    private int taken;
    private boolean missed;

    ReaderSeats(int seats) {
        this.seats = seats;
    }

    synchronized boolean take() {
        if (taken >= seats) {
            missed = true;
            return false;
        }
        taken++;
        return true;
    }

    synchronized void leave() {
        taken--;
    }

    /** Whether somebody has found none since this was last asked. */
    synchronized boolean isWaitedFor() {
        boolean waits = missed;
        missed = false;
        return waits;
    }
}
