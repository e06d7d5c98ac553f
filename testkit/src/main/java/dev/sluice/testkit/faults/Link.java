package dev.sluice.testkit.faults;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One direction of the proxy, shared by all connections: the fault in force, and the decision what it means for the next
 * piece of bytes. Whoever waits here is woken when the fault changes, and is judged anew.
 */
final class Link {

    /** What to do with the next piece. */
    enum Action {
        FORWARD,
        SWALLOW,
        FORWARD_THEN_CUT
    }

    /** The action, and for how many of the piece's bytes. */
    record Verdict(Action action, int bytes) {}

    private static final Fault PASS = new Fault.Pass();
    private static final long NANOS = 1_000_000_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicLong forwarded = new AtomicLong();
    private Fault fault = PASS;
    private long cutBudget;
    private long freeAt = System.nanoTime();

    void set(Fault next) {
        lock.lock();
        try {
            fault = next;
            cutBudget = next instanceof Fault.CutAfter cut ? cut.bytes() : 0;
            freeAt = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void count(int bytes) {
        forwarded.addAndGet(bytes);
    }

    long forwarded() {
        return forwarded.get();
    }

    /** Called before each read from a socket: holds the reader as long as nothing may be read. */
    void awaitReadable() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (fault instanceof Fault.Stall) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something is to be done with this piece, and says what; {@code pump} learns when it loses bytes. */
    Verdict judge(Piece piece, Pump pump) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                long wait;
                switch (fault) {
                    case Fault.Pass ignored -> {
                        return new Verdict(Action.FORWARD, piece.remaining());
                    }
                    case Fault.Delay delay -> wait = piece.dueAfter(delay) - System.nanoTime();
                    case Fault.Throttle ignored -> wait = freeAt - System.nanoTime();
                    case Fault.Stall ignored -> wait = Long.MAX_VALUE;
                    case Fault.Swallow ignored -> {
                        pump.losesBytes();
                        return new Verdict(Action.SWALLOW, piece.remaining());
                    }
                    case Fault.CutAfter ignored -> {
                        return spendCutBudget(piece);
                    }
                }
                if (wait <= 0) {
                    return new Verdict(Action.FORWARD, slice(piece));
                }
                changed.awaitNanos(wait);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A throttled piece goes in slices of about 20 ms, so that a change of mind is quick and the flow is even. */
    private int slice(Piece piece) {
        if (!(fault instanceof Fault.Throttle throttle)) {
            return piece.remaining();
        }
        int bytes = (int) Math.min(piece.remaining(), Math.max(1, throttle.bytesPerSecond() / 50));
        freeAt = Math.max(freeAt, System.nanoTime() - NANOS / 50) + bytes * NANOS / throttle.bytesPerSecond();
        return bytes;
    }

    private Verdict spendCutBudget(Piece piece) {
        if (piece.kind() != Piece.Kind.BYTES || piece.remaining() < cutBudget) {
            cutBudget -= piece.remaining();
            return new Verdict(Action.FORWARD, piece.remaining());
        }
        fault = PASS;
        return new Verdict(Action.FORWARD_THEN_CUT, (int) cutBudget);
    }
}
