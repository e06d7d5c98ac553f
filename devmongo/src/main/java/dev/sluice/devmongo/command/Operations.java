package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.oplog.Oplog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** The commands that run now. */
public final class Operations {
    private final Oplog oplog;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<Integer, Operation> running = new TreeMap<>();
    private int lastId;
    private @Nullable CommandException refusal;

    Operations(Oplog oplog) {
        this.oplog = oplog;
    }

    Operation begin(BsonDocument command, @Nullable BsonBinary session) {
        lock.lock();
        try {
            Operation operation = new Operation(++lastId, command, session);
            running.put(operation.id(), operation);
            if (refusal != null) {
                operation.interrupt(refusal);
            }
            return operation;
        } finally {
            lock.unlock();
        }
    }

    void end(Operation operation) {
        lock.lock();
        try {
            running.remove(operation.id());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void waitsOn(Operation operation, long cursorId) {
        lock.lock();
        try {
            operation.waitsOn(cursorId);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    List<Operation> all() {
        lock.lock();
        try {
            return new ArrayList<>(running.values());
        } finally {
            lock.unlock();
        }
    }

    /** Stops every matching operation that waits on a cursor, with {@code reason} as its reply. */
    void interrupt(Predicate<Operation> which, CommandException reason) {
        all().stream().filter(which).forEach(operation -> operation.interrupt(reason));
        oplog.wakeReaders();
    }

    /** Stops everything that runs, and what still begins before {@link #accept}: nothing outlives its process. */
    void refuse(CommandException reason) {
        set(reason);
        interrupt(operation -> true, reason);
    }

    void accept() {
        set(null);
    }

    private void set(@Nullable CommandException reason) {
        lock.lock();
        try {
            refusal = reason;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until {@code n} reads wait for events; false if that took too long. */
    public boolean awaitBlockedReads(int n, Duration limit) throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (running.values().stream().filter(o -> o.cursorId() != 0).count() < n) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
