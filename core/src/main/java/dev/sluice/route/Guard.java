package dev.sluice.route;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The one lock of a partition, which all its parts share: an event, an acknowledgement and a change of subscriptions each
 * happen to all of them at once. It is taken before a lane's and never held over a call of the feed, a deliverer, the dead
 * letters, the registry or the claim; except that a catch-up that is nearly there reads the last few events under it.
 */
final class Guard {
    private final ReentrantLock lock = new ReentrantLock();

    <T> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }
}
