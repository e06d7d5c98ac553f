package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.oplog.TransactionId;
import dev.sluice.devmongo.store.Session;
import dev.sluice.devmongo.store.Transaction;
import dev.sluice.devmongo.wire.Dispatcher.ConnectionDropped;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/** Runs a data command under the store's lock, as part of its transaction or once per retryable write. */
final class InSession {
    private InSession() {}

    /** The role is checked under the lock too: after a step-down or a shutdown nothing more is written or begun. */
    static Outcome run(Command command, RoleCheck.Need need, Invocation call) {
        return call.store().locked(() -> {
            call.operation().check();
            RoleCheck.require(need, call);
            call.store().abortExpiredTransactions();
            return runLocked(command, call);
        });
    }

    private static Outcome runLocked(Command command, Invocation call) {
        Session session = call.session();
        if (session == null || !call.command().isNumber("txnNumber")) {
            return plain(command, call);
        }
        if (!call.node().topology().replicaSet()) {
            throw new CommandException(
                    20, "IllegalOperation", "Transaction numbers are only allowed on a replica set member or mongos");
        }
        long number = call.command().getNumber("txnNumber").longValue();
        if (number < session.lastNumber()) {
            throw new CommandException(
                    225,
                    "TransactionTooOld",
                    "Cannot start transaction %d on session because a newer transaction %d has already started."
                            .formatted(number, session.lastNumber()));
        }
        return call.inTransaction()
                ? inTransaction(command, call, join(call, session, number))
                : retryable(command, call, session, number);
    }

    private static Outcome plain(Command command, Invocation call) {
        try {
            return command.run(call);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new ConnectionDropped();
        }
    }

    private static Outcome retryable(Command command, Invocation call, Session session, long number) {
        abortIfActive(call, session.transaction());
        BsonDocument reply = session.once(number, () -> switch (plain(command, call)) {
            case Outcome.Fields fields -> fields.document();
            case Outcome.Hello hello -> hello.document();
            case Outcome.Events events -> throw new IllegalStateException("A stream is not a retryable write.");
        });
        return Outcome.of(reply);
    }

    private static Transaction join(Invocation call, Session session, long number) {
        if (call.flag("startTransaction")) {
            abortIfActive(call, session.transaction());
            session.begin(call.store().begin(new TransactionId(session.id(), number)));
        }
        Transaction transaction = session.transaction();
        if (transaction == null || transaction.id().number() != number) {
            throw new CommandException(
                    251,
                    "NoSuchTransaction",
                    "Given transaction number %d does not match any in-progress transactions. The active transaction number is %d"
                            .formatted(number, session.lastNumber()));
        }
        if (transaction.state() == Transaction.State.ABORTED) {
            throw new CommandException(251, "NoSuchTransaction", "Transaction " + number + " has been aborted.");
        }
        if (transaction.state() == Transaction.State.COMMITTED && !call.name().equals("commitTransaction")) {
            throw new CommandException(256, "TransactionCommitted", "Transaction " + number + " has been committed.");
        }
        return transaction;
    }

    /** Any error ends the transaction, as in MongoDB. */
    private static Outcome inTransaction(Command command, Invocation call, Transaction transaction) {
        try {
            return plain(command, call);
        } catch (RuntimeException failed) {
            abortIfActive(call, transaction);
            throw failed;
        }
    }

    static void abortIfActive(Invocation call, @Nullable Transaction transaction) {
        if (transaction != null && transaction.state() == Transaction.State.ACTIVE) {
            call.store().abort(transaction);
        }
    }
}
