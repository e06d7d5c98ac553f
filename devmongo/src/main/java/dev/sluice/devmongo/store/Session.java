package dev.sluice.devmongo.store;

import java.util.function.Supplier;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** What the server remembers of one logical session: its last transaction number and what that did. */
public final class Session {
    private final BsonBinary id;
    private long lastNumber = -1;
    private @Nullable Transaction transaction;
    private @Nullable BsonDocument retryableReply;

    Session(BsonBinary id) {
        this.id = id;
    }

    public BsonBinary id() {
        return id;
    }

    public long lastNumber() {
        return lastNumber;
    }

    public @Nullable Transaction transaction() {
        return transaction;
    }

    public void begin(Transaction next) {
        lastNumber = next.id().number();
        transaction = next;
        retryableReply = null;
    }

    /** Runs a retryable write once: the same number again gets the first reply again. */
    public BsonDocument once(long number, Supplier<BsonDocument> write) {
        if (number == lastNumber && retryableReply != null) {
            return retryableReply.clone();
        }
        BsonDocument reply = write.get();
        lastNumber = number;
        transaction = null;
        retryableReply = reply.clone();
        return reply;
    }
}
