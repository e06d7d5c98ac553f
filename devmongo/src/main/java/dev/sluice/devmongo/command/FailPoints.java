package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.wire.Dispatcher.ConnectionDropped;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What a test arranged to go wrong, and how often it still will. */
public final class FailPoints {
    private record Armed(FailPoint failPoint, int left) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Armed> armed = new ArrayList<>();

    public void arm(FailPoint failPoint) {
        lock.lock();
        try {
            armed.add(new Armed(failPoint, failPoint.times()));
        } finally {
            lock.unlock();
        }
    }

    public void clear() {
        lock.lock();
        try {
            armed.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Throws what the first fail point armed for this command says. */
    void hit(String command) throws InterruptedException {
        FailPoint failPoint = take(command);
        if (failPoint == null) {
            return;
        }
        if (failPoint.blockMillis() > 0) {
            TimeUnit.MILLISECONDS.sleep(failPoint.blockMillis());
        }
        if (failPoint.closeConnection()) {
            throw new ConnectionDropped();
        }
        if (failPoint.code() != 0) {
            List<String> labels = failPoint.labels();
            throw new CommandException(
                    failPoint.code(),
                    ErrorNames.of(failPoint.code()),
                    "Failing command via 'failCommand' failpoint",
                    labels == null ? List.of() : labels);
        }
    }

    private @Nullable FailPoint take(String command) {
        lock.lock();
        try {
            for (Iterator<Armed> each = armed.iterator(); each.hasNext(); ) {
                Armed next = each.next();
                if (next.failPoint().commands().contains(command)) {
                    each.remove();
                    if (next.left() != 1) {
                        armed.addFirst(new Armed(next.failPoint(), Math.max(-1, next.left() - 1)));
                    }
                    return next.failPoint();
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }
}
