package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.store.DuplicateKey;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

/** Runs the statements of one write command in order, and collects those that failed. */
final class Statements {
    /** One statement: an inserted document, an update or a delete. */
    @FunctionalInterface
    interface Statement {
        void run(int index, BsonDocument statement);
    }

    private Statements() {}

    /** Runs each; after a failure goes on only if the command is unordered. */
    static BsonArray run(Invocation call, String field, Statement each) {
        boolean ordered = Invocation.flag(call.command(), "ordered", true);
        BsonArray errors = new BsonArray();
        BsonArray statements = call.command().getArray(field);
        for (int i = 0; i < statements.size() && (errors.isEmpty() || !ordered); i++) {
            try {
                each.run(i, statements.get(i).asDocument());
            } catch (DuplicateKey duplicate) {
                InSession.abortIfActive(call, call.transaction());
                errors.add(error(i, duplicate.asCommandError())
                        .append("keyPattern", duplicate.keyPattern())
                        .append("keyValue", duplicate.keyValue()));
            } catch (CommandException refused) {
                if (call.inTransaction() || refused.interruption()) {
                    throw refused;
                }
                errors.add(error(i, refused));
            }
        }
        return errors;
    }

    private static BsonDocument error(int index, CommandException error) {
        return new BsonDocument("index", new BsonInt32(index))
                .append("code", new BsonInt32(error.code()))
                .append("errmsg", new BsonString(error.message()));
    }

    /** Ends the reply of a write as a replica set does. */
    static Outcome reply(Invocation call, BsonDocument reply, BsonArray errors) {
        if (!errors.isEmpty()) {
            reply.append("writeErrors", errors);
        }
        if (call.node().topology().replicaSet()) {
            Topology topology = call.node().topology();
            reply.append("opTime", Hello.opTime(call.node().oplog().newest(), topology.term()))
                    .append("electionId", topology.electionId());
        }
        return Outcome.of(reply);
    }
}
