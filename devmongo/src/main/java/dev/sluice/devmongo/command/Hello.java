package dev.sluice.devmongo.command;

import dev.sluice.devmongo.wire.Frame;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;

/** Says what this server is; waits for news first if the client asks it to (the streaming protocol of 4.4). */
final class Hello implements Command {
    private static final int MAX_DOCUMENT_BYTES = 16 << 20;
    private static final int MAX_WRITE_BATCH = 100_000;
    private static final int SESSION_MINUTES = 30;

    @Override
    public Outcome run(Invocation call) throws InterruptedException {
        BsonDocument command = call.command();
        boolean waits = command.isDocument("topologyVersion") && command.isNumber("maxAwaitTimeMS");
        if (!waits) {
            return Outcome.of(reply(call));
        }
        call.node()
                .topology()
                .awaitChange(
                        command.getDocument("topologyVersion"),
                        command.getNumber("maxAwaitTimeMS").longValue());
        BsonDocument reply = reply(call);
        BsonDocument again = command.clone();
        again.put("topologyVersion", reply.getDocument("topologyVersion").clone());
        return new Outcome.Hello(reply, again);
    }

    private static BsonDocument reply(Invocation call) {
        Topology topology = call.node().topology();
        BsonString role = new BsonString(call.name().equals("hello") ? "isWritablePrimary" : "ismaster");
        BsonDocument reply = new BsonDocument();
        if (topology.replicaSet()) {
            member(reply, call, topology, role.getValue());
        } else {
            reply.append(role.getValue(), BsonBoolean.TRUE).append("topologyVersion", topology.version());
        }
        reply.append("maxBsonObjectSize", new BsonInt32(MAX_DOCUMENT_BYTES))
                .append("maxMessageSizeBytes", new BsonInt32(Frame.MAX_BYTES))
                .append("maxWriteBatchSize", new BsonInt32(MAX_WRITE_BATCH))
                .append("localTime", new BsonDateTime(System.currentTimeMillis()))
                .append("logicalSessionTimeoutMinutes", new BsonInt32(SESSION_MINUTES))
                .append("connectionId", new BsonInt32(call.connection().id()))
                .append("minWireVersion", new BsonInt32(0))
                .append("maxWireVersion", new BsonInt32(call.node().version().maxWireVersion()))
                .append("readOnly", BsonBoolean.FALSE);
        if (call.flag("helloOk")) {
            reply.append("helloOk", BsonBoolean.TRUE);
        }
        return reply;
    }

    private static void member(BsonDocument reply, Invocation call, Topology topology, String role) {
        BsonString me = new BsonString(call.node().address());
        boolean primary = topology.primary();
        reply.append("topologyVersion", topology.version())
                .append("hosts", new BsonArray(java.util.List.of(me)))
                .append("setName", new BsonString(Replication.SET_NAME))
                .append("setVersion", new BsonInt32(1))
                .append(role, BsonBoolean.valueOf(primary))
                .append("secondary", BsonBoolean.valueOf(!primary));
        if (primary) {
            reply.append("primary", me);
        }
        reply.append("me", me);
        if (primary) {
            reply.append("electionId", topology.electionId());
        }
        reply.append("lastWrite", lastWrite(call.node()));
    }

    private static BsonDocument lastWrite(Node node) {
        BsonTimestamp newest = node.oplog().newest();
        BsonTimestamp committed = node.oplog().committed();
        return new BsonDocument("opTime", opTime(newest, node.topology().term()))
                .append("lastWriteDate", new BsonDateTime(newest.getTime() * 1000L))
                .append("majorityOpTime", opTime(committed, node.topology().termOf(committed)))
                .append("majorityWriteDate", new BsonDateTime(committed.getTime() * 1000L));
    }

    static BsonDocument opTime(BsonTimestamp time, long term) {
        return new BsonDocument("ts", time).append("t", new BsonInt64(term));
    }
}
