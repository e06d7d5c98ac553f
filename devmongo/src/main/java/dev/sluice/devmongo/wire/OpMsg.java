package dev.sluice.devmongo.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.bson.BSONException;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.jspecify.annotations.Nullable;

/** OP_MSG: a command document, with document sequences that belong to it (kind 1) folded into it as arrays. */
final class OpMsg {
    static final int OP_CODE = 2013;
    private static final int CHECKSUM_PRESENT = 1;
    private static final int MORE_TO_COME = 1 << 1;
    private static final int EXHAUST_ALLOWED = 1 << 16;
    private static final int REQUIRED_BITS = 0xFFFF;

    private OpMsg() {}

    static Request decode(Frame frame) throws MalformedFrame {
        try {
            ByteBuffer body = frame.body();
            int flags = body.getInt();
            if ((flags & REQUIRED_BITS & ~(CHECKSUM_PRESENT | MORE_TO_COME)) != 0) {
                throw new MalformedFrame("OP_MSG with unknown required flags.");
            }
            if ((flags & CHECKSUM_PRESENT) != 0) {
                body.limit(body.limit() - Integer.BYTES);
            }
            return new Request(
                    frame.requestId(),
                    sections(body),
                    (flags & MORE_TO_COME) == 0,
                    (flags & EXHAUST_ALLOWED) != 0,
                    false);
        } catch (BufferUnderflowException
                | IndexOutOfBoundsException
                | IllegalArgumentException
                | BSONException damaged) {
            throw new MalformedFrame("OP_MSG that cannot be decoded: " + damaged.getMessage());
        }
    }

    private static BsonDocument sections(ByteBuffer body) throws MalformedFrame {
        BsonDocument command = null;
        BsonDocument sequences = new BsonDocument();
        while (body.hasRemaining()) {
            int kind = body.get();
            switch (kind) {
                case 0 -> command = once(command, BsonBytes.decode(body));
                case 1 -> sequence(body, sequences);
                default -> throw new MalformedFrame("OP_MSG section of unknown kind " + kind + ".");
            }
        }
        if (command == null) {
            throw new MalformedFrame("OP_MSG without a body section.");
        }
        command.putAll(sequences);
        return command;
    }

    private static BsonDocument once(@Nullable BsonDocument earlier, BsonDocument command) throws MalformedFrame {
        if (earlier != null) {
            throw new MalformedFrame("OP_MSG with two body sections.");
        }
        return command;
    }

    private static void sequence(ByteBuffer body, BsonDocument sequences) {
        int end = body.position() + body.getInt(body.position());
        body.getInt();
        String name = cString(body);
        BsonArray documents = new BsonArray();
        while (body.position() < end) {
            documents.add(BsonBytes.decode(body));
        }
        sequences.put(name, documents);
    }

    static String cString(ByteBuffer body) {
        int start = body.position();
        int length = 0;
        while (body.get() != 0) {
            length++;
        }
        byte[] name = new byte[length];
        body.get(start, name);
        return new String(name, StandardCharsets.UTF_8);
    }

    static void encode(BasicOutputBuffer out, int id, int responseTo, Reply reply, boolean moreToCome) {
        out.writeInt32(0);
        out.writeInt32(id);
        out.writeInt32(responseTo);
        out.writeInt32(OP_CODE);
        out.writeInt32(moreToCome ? MORE_TO_COME : 0);
        out.writeByte(0);
        reply.writeTo(out);
        out.writeInt32(0, out.getPosition());
    }
}
