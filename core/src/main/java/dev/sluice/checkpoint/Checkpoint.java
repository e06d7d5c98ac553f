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
 *
 * @param filter a fingerprint of the filter the token was read with, so that a token which the source does not know can be
 *     told apart: the filter changed, or the source is another one. {@link #UNKNOWN_FILTER} in checkpoints of releases that
 *     did not keep it, and of sources without filters
 */
public record Checkpoint(RawBson token, ClusterTime time, long filter) {
    /** The value of {@code filter} in checkpoints that do not know it. */
    public static final long UNKNOWN_FILTER = 0;

    private static final int TIME = Long.BYTES;
    private static final int FILTER = Long.BYTES;
    private static final int SMALLEST_DOCUMENT = 5;

    /** A checkpoint that does not know its filter. */
    public Checkpoint(RawBson token, ClusterTime time) {
        this(token, time, UNKNOWN_FILTER);
    }

    public Checkpoint withFilter(long fingerprint) {
        return new Checkpoint(token, time, fingerprint);
    }

    /**
     * The form every store keeps: eight bytes of cluster time, big endian, then the token's BSON, then, if it is known, eight
     * bytes of the filter's fingerprint.
     */
    public byte[] encode() {
        boolean known = filter != UNKNOWN_FILTER;
        ByteBuffer bytes = ByteBuffer.allocate(TIME + token.length() + (known ? FILTER : 0))
                .putLong(time.value())
                .put(token.array(), token.offset(), token.length());
        return (known ? bytes.putLong(filter) : bytes).array();
    }

    /** @throws InvalidInputException when these bytes are not what {@link #encode} writes */
    public static Checkpoint decode(byte[] bytes) {
        int rest = bytes.length - TIME;
        int length = rest < SMALLEST_DOCUMENT
                ? 0
                : ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(TIME);
        boolean known = rest - length == FILTER;
        if (length < SMALLEST_DOCUMENT || (length != rest && !known)) {
            throw new InvalidInputException(
                    "these " + bytes.length + " bytes are no checkpoint: a time and one whole token document");
        }
        ClusterTime time = new ClusterTime(ByteBuffer.wrap(bytes).getLong());
        long filter = known ? ByteBuffer.wrap(bytes).getLong(TIME + length) : UNKNOWN_FILTER;
        return new Checkpoint(new RawBson(bytes, TIME, length), time, filter);
    }
}
