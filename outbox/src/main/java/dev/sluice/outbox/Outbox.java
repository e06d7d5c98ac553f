package dev.sluice.outbox;

import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.KeyHash;
import dev.sluice.outbox.table.KeyLocks;
import dev.sluice.outbox.table.NewRow;
import dev.sluice.outbox.table.NewRows;
import dev.sluice.outbox.table.Slice;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages in the application's own transaction: they are published if and only if it commits.
 *
 * <ul>
 *   <li>{@code append} never commits, never rolls back and never changes the connection's settings.
 *   <li>Messages of one key come out in the order of their commits, as long as their writers wait for each other anyway
 *       (by locking the aggregate's row, say). With {@code strictKeyOrder} they wait for each other in {@code append},
 *       until the commit.
 *   <li>{@link #committed} after the commit makes the relay look at once; without it the relay looks a little later.
 * </ul>
 *
 * <p>May be used by many threads; one per application and database will do.
 */
public final class Outbox implements AutoCloseable {
    public static final int DEFAULT_PARTITIONS = 6;

    /** Whoever is told no more after it is closed. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    private final int partitions;
    private final boolean strictKeyOrder;
    private final boolean allowAutoCommit;
    private final @Nullable PayloadCipher cipher;
    private final @Nullable CommitNotifier notifier;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    private Outbox(Builder builder) {
        this.partitions = builder.partitions;
        this.strictKeyOrder = builder.strictKeyOrder;
        this.allowAutoCommit = builder.allowAutoCommit;
        this.cipher = builder.cipher;
        this.notifier = builder.notifyThrough == null ? null : new CommitNotifier(builder.notifyThrough);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** As many partitions as the messages are spread over. */
    public int partitions() {
        return partitions;
    }

    /**
     * Writes one message in the transaction that the connection is in.
     *
     * @throws IllegalStateException when the connection is in no transaction, since it commits by itself
     * @throws SQLException when the database refuses it; the transaction is to be rolled back then
     */
    public void append(Connection connection, OutboxMessage message) throws SQLException {
        append(connection, List.of(message));
    }

    /** Writes messages, in this order, in one batch. See {@link #append(Connection, OutboxMessage)}. */
    public void append(Connection connection, Collection<OutboxMessage> messages) throws SQLException {
        requireTransaction(connection);
        if (messages.isEmpty()) {
            return;
        }
        List<NewRow> rows = new ArrayList<>(messages.size());
        for (OutboxMessage message : messages) {
            rows.add(row(message));
        }
        if (strictKeyOrder) {
            KeyLocks.take(connection, messages.stream().map(OutboxMessage::key).toList());
        }
        NewRows.insert(connection, rows);
    }

    private void requireTransaction(Connection connection) throws SQLException {
        if (!allowAutoCommit && connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "The connection commits each statement by itself, so the message would be sent"
                            + " even if what it tells of fails: call setAutoCommit(false) first and commit afterwards, or build the"
                            + " outbox with allowAutoCommit.");
        }
    }

    private NewRow row(OutboxMessage message) {
        int partition = KeyHash.partition(message.key(), partitions);
        if (message.headers().containsKey(PayloadCipher.HEADER)) {
            throw new InvalidInputException(
                    "the header " + PayloadCipher.HEADER + " is the outbox's own; name yours otherwise");
        }
        if (cipher == null) {
            return row(message, partition, message.payload(), message.headers());
        }
        try {
            PayloadCipher.Encrypted encrypted =
                    cipher.encrypt(message.payload(), PayloadCipher.context(message.topic(), message.key()));
            Map<String, String> headers = new HashMap<>(message.headers());
            headers.put(PayloadCipher.HEADER, encrypted.keyName());
            return row(message, partition, encrypted.bytes(), headers);
        } catch (GeneralSecurityException failed) {
            throw new IllegalStateException("The payload cannot be encrypted; look at the cipher's key.", failed);
        }
    }

    private static NewRow row(OutboxMessage message, int partition, byte[] payload, Map<String, String> headers) {
        return new NewRow(
                partition, message.topic(), message.key(), message.type(), payload, headers, message.priority());
    }

    /** A hint that messages were committed: relays that know of this outbox look at once. Cheap, and never blocks. */
    public void committed() {
        listeners.forEach(Runnable::run);
        if (notifier != null) {
            notifier.committed();
        }
    }

    /** Tells somebody in this process of each {@link #committed}; it must return at once. */
    public Registration onCommitted(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Ends the hints to other processes. */
    @Override
    public void close() {
        if (notifier != null) {
            notifier.close();
        }
    }

    /** Collects what an outbox needs. */
    public static final class Builder {
        private int partitions = DEFAULT_PARTITIONS;
        private boolean strictKeyOrder;
        private boolean allowAutoCommit;
        private @Nullable PayloadCipher cipher;
        private @Nullable DataSource notifyThrough;

        private Builder() {}

        /** The same number for all writers and relays: 1 to 1,024, 6 by default. */
        public Builder partitions(int number) {
            partitions = Slice.requirePartitions(number);
            return this;
        }

        /** Makes writers of one key wait for each other until they commit. */
        public Builder strictKeyOrder(boolean strict) {
            strictKeyOrder = strict;
            return this;
        }

        /** Takes connections that commit by themselves too, for messages that belong to no other change. */
        public Builder allowAutoCommit(boolean allow) {
            allowAutoCommit = allow;
            return this;
        }

        public Builder cipher(@Nullable PayloadCipher newCipher) {
            cipher = newCipher;
            return this;
        }

        /** PostgreSQL: hints relays of other processes too, on a connection of its own that it takes from here. */
        public Builder notifyThrough(@Nullable DataSource source) {
            notifyThrough = source;
            return this;
        }

        public Outbox build() {
            if (strictKeyOrder && allowAutoCommit) {
                throw new InvalidInputException("strictKeyOrder locks keys until the commit, so it needs transactions:"
                        + " leave allowAutoCommit out");
            }
            return new Outbox(this);
        }
    }
}
