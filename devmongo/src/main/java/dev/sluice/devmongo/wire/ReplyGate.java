package dev.sluice.devmongo.wire;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Holds replies back while a test stalls the server: commands run, but nobody hears of it until it resumes. */
public final class ReplyGate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();
    private boolean stalled;

    public void stall() {
        set(true);
    }

    public void open() {
        set(false);
    }

    private void set(boolean closed) {
        lock.lock();
        try {
            stalled = closed;
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void await() throws InterruptedException {
        lock.lock();
        try {
            while (stalled) {
                opened.await();
            }
        } finally {
            lock.unlock();
        }
    }
}
