package dev.sluice.devmongo.command;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonTimestamp;
import org.bson.types.ObjectId;

/** The one member of the replica set: its role, its term, and the version of both that {@code hello} waits for. */
public final class Topology {
    private final boolean replicaSet;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private ObjectId processId = new ObjectId();
    private long counter;
    private final LongConsumer terms;
    private long term;
    private volatile BsonTimestamp termBegan = new BsonTimestamp(0, 0);
    private volatile boolean primary = true;

    /**
     * @param term the first one, in which the server is primary from the start
     * @param terms gets every later one, so that the next process begins behind it: drivers refuse a primary of an older term
     */
    public Topology(boolean replicaSet, long term, LongConsumer terms) {
        this.replicaSet = replicaSet;
        this.term = term;
        this.terms = terms;
        this.counter = replicaSet ? 6 : 0;
    }

    boolean replicaSet() {
        return replicaSet;
    }

    boolean primary() {
        return primary;
    }

    long term() {
        return term;
    }

    /** The term in which a write of that time was made, as far as the last election tells. */
    long termOf(BsonTimestamp time) {
        return time.compareTo(termBegan) >= 0 ? term : term - 1;
    }

    /** The time of the current term's first entry. */
    void termBeganAt(BsonTimestamp time) {
        termBegan = time;
    }

    BsonObjectId electionId() {
        return new BsonObjectId(new ObjectId("7fffffff%016x".formatted(term)));
    }

    BsonDocument version() {
        return new BsonDocument("processId", new BsonObjectId(processId)).append("counter", new BsonInt64(counter));
    }

    public void stepDown() {
        change(() -> primary = false);
    }

    /** Becomes primary in a new term; nothing happens to a primary. */
    public void stepUp() {
        if (!primary) {
            change(this::elected);
        }
    }

    /** A new process: another id, another election. */
    public void restarted() {
        change(() -> {
            processId = new ObjectId();
            elected();
        });
    }

    private void elected() {
        primary = true;
        terms.accept(++term);
    }

    private void change(Runnable how) {
        lock.lock();
        try {
            how.run();
            counter += 2;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the version is another than {@code known}, or the time is over. */
    void awaitChange(BsonDocument known, long millis) throws InterruptedException {
        long left = millis * 1_000_000;
        lock.lock();
        try {
            while (version().equals(known) && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
