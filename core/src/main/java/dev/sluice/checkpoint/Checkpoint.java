package dev.sluice.checkpoint;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.RawBson;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where capture goes on: the source's resume token, whole and opaque (compared for equality only), and the cluster
 * time it stands for. Every event up to that time that the source had sent was stored before the checkpoint was, or
 * together with it.
 */
public record Checkpoint(RawBson token, ClusterTime time) {
    private static final int TIME = Long.BYTES;
    private static final int SMALLEST_DOCUMENT = 5;

    /** The form every store keeps: eight bytes of cluster time, big endian, then the token's BSON. */
    public byte[] encode() {
        return ByteBuffer.allocate(TIME + token.length())
                .putLong(time.value())
                .put(token.array(), token.offset(), token.length())
                .array();
    }

    /** @throws InvalidInputException when these bytes are not what {@link #encode} writes */
    public static Checkpoint decode(byte[] bytes) {
        int length = bytes.length - TIME;
        if (length < SMALLEST_DOCUMENT
                || ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(TIME) != length) {
            throw new InvalidInputException(
                    "these " + bytes.length + " bytes are no checkpoint: a time and one whole token document");
        }
        ClusterTime time = new ClusterTime(ByteBuffer.wrap(bytes).getLong());
        return new Checkpoint(new RawBson(bytes, TIME, length), time);
    }
}
