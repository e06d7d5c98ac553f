package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.store.Session;
import dev.sluice.devmongo.store.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** Sessions, transactions, and operations that are to stop. */
final class SessionCommands {
    private static final int TIMEOUT_MINUTES = 30;

    private SessionCommands() {}

    static Outcome start(Invocation call) {
        return Outcome.of(new BsonDocument("id", new BsonDocument("id", new BsonBinary(UUID.randomUUID())))
                .append("timeoutMinutes", new BsonInt32(TIMEOUT_MINUTES)));
    }

    static Outcome end(Invocation call) {
        for (BsonBinary id : named(call)) {
            Session session = call.store().sessions().remove(id);
            if (session != null) {
                InSession.abortIfActive(call, session.transaction());
            }
        }
        return Outcome.ok();
    }

    static Outcome kill(Invocation call) {
        named(call).forEach(id -> kill(call, id));
        return Outcome.ok();
    }

    static Outcome killAll(Invocation call) {
        call.store().sessions().all().forEach(session -> kill(call, session.id()));
        return Outcome.ok();
    }

    private static void kill(Invocation call, BsonBinary id) {
        call.node()
                .operations()
                .interrupt(operation -> operation != call.operation() && id.equals(operation.session()), interrupted());
        call.node().cursors().removeOf(id);
        InSession.abortIfActive(call, call.store().sessions().get(id).transaction());
    }

    private static List<BsonBinary> named(Invocation call) {
        return call.command().getArray(call.name(), new BsonArray()).stream()
                .map(BsonValue::asDocument)
                .map(lsid -> lsid.getBinary("id"))
                .toList();
    }

    private static CommandException interrupted() {
        return new CommandException(
                11601, "Interrupted", "Error in $cursor stage :: caused by :: operation was interrupted");
    }

    static Outcome commit(Invocation call) {
        Transaction transaction = required(call);
        if (transaction.state() == Transaction.State.ACTIVE) {
            call.store().commit(transaction);
        }
        return Outcome.ok();
    }

    static Outcome abort(Invocation call) {
        call.store().abort(required(call));
        return Outcome.ok();
    }

    private static Transaction required(Invocation call) {
        Transaction transaction = call.transaction();
        if (transaction == null) {
            throw new CommandException(125, "CommandFailed", call.name() + " must be run within a transaction");
        }
        return transaction;
    }

    static Outcome currentOp(Invocation call) {
        return Outcome.of(new BsonDocument("inprog", new BsonArray(inProgress(call))));
    }

    static List<BsonDocument> inProgress(Invocation call) {
        List<BsonDocument> operations = new ArrayList<>();
        for (Operation operation : call.node().operations().all()) {
            operations.add(new BsonDocument("type", new BsonString("op"))
                    .append("host", new BsonString(call.node().address()))
                    .append("active", BsonBoolean.TRUE)
                    .append("opid", new BsonInt32(operation.id()))
                    .append(
                            "op",
                            new BsonString(operation.command().getFirstKey().equals("getMore") ? "getmore" : "command"))
                    .append("command", operation.command()));
        }
        return operations;
    }

    static Outcome killOp(Invocation call) {
        int id = call.number("op", -1);
        call.node().operations().interrupt(operation -> operation.id() == id, interrupted());
        return Outcome.of(new BsonDocument("info", new BsonString("attempting to kill op")));
    }
}
