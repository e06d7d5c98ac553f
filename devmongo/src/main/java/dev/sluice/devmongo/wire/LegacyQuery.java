package dev.sluice.devmongo.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.bson.BSONException;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.io.BasicOutputBuffer;

/** OP_QUERY on {@code db.$cmd}, and its OP_REPLY: how drivers that do not know the server yet say hello. */
final class LegacyQuery {
    static final int OP_CODE = 2004;
    private static final int OP_REPLY = 1;
    private static final int AWAIT_CAPABLE = 8;

    private LegacyQuery() {}

    static Request decode(Frame frame) throws MalformedFrame {
        try {
            ByteBuffer body = frame.body();
            body.getInt();
            String collection = OpMsg.cString(body);
            body.getInt();
            body.getInt();
            BsonDocument command = BsonBytes.decode(body);
            if (!collection.endsWith(".$cmd")) {
                throw new MalformedFrame("OP_QUERY is only answered for commands.");
            }
            if (command.containsKey("$query")) {
                command = command.getDocument("$query");
            }
            command.put("$db", new BsonString(collection.substring(0, collection.length() - ".$cmd".length())));
            return new Request(frame.requestId(), command, true, false, true);
        } catch (BufferUnderflowException
                | IndexOutOfBoundsException
                | IllegalArgumentException
                | BSONException damaged) {
            throw new MalformedFrame("OP_QUERY that cannot be decoded: " + damaged.getMessage());
        }
    }

    static void encode(BasicOutputBuffer out, int id, int responseTo, Reply reply) {
        out.writeInt32(0);
        out.writeInt32(id);
        out.writeInt32(responseTo);
        out.writeInt32(OP_REPLY);
        out.writeInt32(AWAIT_CAPABLE);
        out.writeInt64(0);
        out.writeInt32(0);
        out.writeInt32(1);
        reply.writeTo(out);
        out.writeInt32(0, out.getPosition());
    }
}
