package dev.sluice.mongodb;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Puts an event together again that the server had to split: each fragment carries some of the top-level fields and a
 * token of its own; only the last one's counts, because from any other the event could not be read whole again.
 */
final class FragmentJoin {
    private static final byte[] ID = RawEvent.name("_id");
    private static final byte[] SPLIT_EVENT = RawEvent.name("splitEvent");

    private final RawFields fields = new RawFields();
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();

    /** Whether fragments wait for their rest. */
    boolean isPending() {
        return collected.size() > 0;
    }

    void add(byte[] array, int offset, boolean last) {
        fields.over(array, offset);
        while (fields.next()) {
            boolean ofTheFragment = fields.is(SPLIT_EVENT) || (fields.is(ID) && !last);
            if (!ofTheFragment) {
                collected.write(array, fields.fieldStart(), fields.valueEnd() - fields.fieldStart());
            }
        }
    }

    void clear() {
        collected.reset();
    }

    /** The whole event; nothing is pending then. */
    byte[] join() {
        int length = 4 + collected.size() + 1;
        byte[] whole = ByteBuffer.allocate(length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .put(collected.toByteArray())
                .array();
        collected.reset();
        return whole;
    }
}
