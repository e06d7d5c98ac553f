package dev.sluice.devmongo.command;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.wire.BsonBytes;
import dev.sluice.devmongo.wire.Reply;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;

/** The fields around every reply, in the order recorded; a standalone sends no times. */
final class Envelope {
    private final Invocation call;

    Envelope(Invocation call) {
        this.call = call;
    }

    Reply success(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Fields fields -> Reply.of(finish(fields.document()));
            case Outcome.Hello hello -> Reply.streaming(finish(hello.document()), hello.again());
            case Outcome.Events events -> new EventsReply(events, finish(new BsonDocument()));
        };
    }

    private BsonDocument finish(BsonDocument reply) {
        reply.append("ok", new BsonDouble(1));
        if (call.node().topology().replicaSet()) {
            reply.append("$clusterTime", clusterTime()).append("operationTime", operationTime());
        }
        return reply;
    }

    Reply error(CommandException error) {
        BsonDocument reply = new BsonDocument();
        Set<String> labels = ErrorLabels.of(error, call);
        if (!labels.isEmpty()) {
            reply.append(
                    "errorLabels",
                    new BsonArray(labels.stream().map(BsonString::new).toList()));
        }
        boolean replicaSet = call.node().topology().replicaSet();
        if (replicaSet && ErrorLabels.aboutRole(error)) {
            reply.append("topologyVersion", call.node().topology().version());
        }
        if (replicaSet) {
            reply.append("operationTime", operationTime());
        }
        reply.append("ok", new BsonDouble(0))
                .append("errmsg", new BsonString(error.message()))
                .append("code", new BsonInt32(error.code()))
                .append("codeName", new BsonString(error.codeName()));
        if (replicaSet) {
            reply.append("$clusterTime", clusterTime());
        }
        return out -> BsonBytes.write(out, reply);
    }

    /** Streams and majority reads see what the majority has; everything else reads the newest. */
    private BsonTimestamp operationTime() {
        return call.readsStream() || call.readsMajority()
                ? call.node().oplog().committed()
                : call.node().oplog().newest();
    }

    private BsonDocument clusterTime() {
        return new BsonDocument("clusterTime", call.node().oplog().gossiped())
                .append(
                        "signature",
                        new BsonDocument("hash", new BsonBinary(new byte[20])).append("keyId", new BsonInt64(0)));
    }
}
