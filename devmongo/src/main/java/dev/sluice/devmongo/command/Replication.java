package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.wire.Dispatcher.ConnectionDropped;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** What tools ask a replica set, and what they may do to it. */
final class Replication {
    static final String SET_NAME = "rs0";
    private static final int DEFAULT_STEP_DOWN_SECONDS = 60;

    private Replication() {}

    static Outcome status(Invocation call) {
        Topology topology = required(call);
        int state = topology.primary() ? 1 : 2;
        BsonDocument opTime = Hello.opTime(call.node().oplog().newest(), topology.term());
        BsonDocument member = new BsonDocument("_id", new BsonInt32(0))
                .append("name", new BsonString(call.node().address()))
                .append("health", new BsonDouble(1))
                .append("state", new BsonInt32(state))
                .append("stateStr", new BsonString(topology.primary() ? "PRIMARY" : "SECONDARY"))
                .append("optime", opTime)
                .append("self", BsonBoolean.TRUE);
        return Outcome.of(new BsonDocument("set", new BsonString(SET_NAME))
                .append("date", new BsonDateTime(System.currentTimeMillis()))
                .append("myState", new BsonInt32(state))
                .append("term", new BsonInt64(topology.term()))
                .append("optimes", new BsonDocument("lastCommittedOpTime", opTime).append("appliedOpTime", opTime))
                .append("members", new BsonArray(List.of(member))));
    }

    static Outcome config(Invocation call) {
        Topology topology = required(call);
        BsonDocument member = new BsonDocument("_id", new BsonInt32(0))
                .append("host", new BsonString(call.node().address()))
                .append("arbiterOnly", BsonBoolean.FALSE)
                .append("hidden", BsonBoolean.FALSE)
                .append("priority", new BsonDouble(1))
                .append("votes", new BsonInt32(1));
        return Outcome.of(new BsonDocument(
                "config",
                new BsonDocument("_id", new BsonString(SET_NAME))
                        .append("version", new BsonInt32(1))
                        .append("term", new BsonInt64(topology.term()))
                        .append("members", new BsonArray(List.of(member)))));
    }

    /** Steps down at once and is elected again after the given seconds. */
    static Outcome stepDown(Invocation call) {
        required(call);
        call.node().stepDown();
        CompletableFuture.delayedExecutor(call.number("replSetStepDown", DEFAULT_STEP_DOWN_SECONDS), TimeUnit.SECONDS)
                .execute(call.node()::stepUp);
        return Outcome.ok();
    }

    static Outcome initiate(Invocation call) {
        throw new CommandException(23, "AlreadyInitialized", "already initialized");
    }

    /** Leaves without a reply; the shutdown itself goes on beside this connection. */
    static Outcome shutDown(Invocation call) {
        Thread.ofVirtual().name("devmongo-shutdown").start(call.node()::shutDown);
        throw new ConnectionDropped();
    }

    private static Topology required(Invocation call) {
        if (!call.node().topology().replicaSet()) {
            throw new CommandException(76, "NoReplicationEnabled", "not running with --replSet");
        }
        return call.node().topology();
    }
}
