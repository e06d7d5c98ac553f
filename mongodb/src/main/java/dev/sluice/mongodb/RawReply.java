package dev.sluice.mongodb;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import java.time.Duration;
import java.util.Arrays;
import org.bson.ByteBuf;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

/** The reply to aggregate or getMore on a change stream: where its parts lie. */
final class RawReply {
    private static final byte[] CURSOR = RawEvent.name("cursor");
    private static final byte[] ID = RawEvent.name("id");
    private static final byte[] FIRST_BATCH = RawEvent.name("firstBatch");
    private static final byte[] NEXT_BATCH = RawEvent.name("nextBatch");
    private static final byte[] POST_BATCH_TOKEN = RawEvent.name("postBatchResumeToken");
    private static final byte[] OPERATION_TIME = RawEvent.name("operationTime");
    private static final byte[] GOSSIP = RawEvent.name("$clusterTime");
    private static final byte[] CLUSTER_TIME = RawEvent.name("clusterTime");

    final byte[] array;
    /** In bytes. */
    final int length;

    long cursorId;
    /** Where the array of events starts; −1 when there is none. */
    int batch = -1;
    /** Kept for longer than the reply, hence a copy. */
    @Nullable
    RawBson token;

    /** Of the newest write that the majority has, and that this stream can show. */
    ClusterTime operationTime = ClusterTime.ZERO;
    /** Of the newest write of all. */
    ClusterTime newest = ClusterTime.ZERO;

    RawReply(RawBsonDocument reply) {
        ByteBuf buffer = reply.getByteBuffer();
        this.array = buffer.array();
        this.length = buffer.remaining();
        int offset = buffer.arrayOffset() + buffer.position();
        RawFields fields = new RawFields().over(array, offset);
        RawFields inner = new RawFields();
        while (fields.next()) {
            if (fields.is(CURSOR)) {
                readCursor(inner.over(array, fields.valueStart()));
            } else if (fields.is(OPERATION_TIME)) {
                operationTime = new ClusterTime(fields.int64());
            } else if (fields.is(GOSSIP)) {
                readGossip(inner.over(array, fields.valueStart()));
            }
        }
    }

    private void readGossip(RawFields gossip) {
        while (gossip.next()) {
            if (gossip.is(CLUSTER_TIME)) {
                newest = new ClusterTime(gossip.int64());
            }
        }
    }

    /** How far the newest write of all is ahead of what the stream can show. */
    Duration unread() {
        return Duration.ofSeconds(Math.max(0, newest.t() - operationTime.t()));
    }

    private void readCursor(RawFields cursor) {
        while (cursor.next()) {
            if (cursor.is(ID)) {
                cursorId = cursor.int64();
            } else if (cursor.is(FIRST_BATCH) || cursor.is(NEXT_BATCH)) {
                batch = cursor.valueStart();
            } else if (cursor.is(POST_BATCH_TOKEN)) {
                token = RawBson.of(Arrays.copyOfRange(array, cursor.valueStart(), cursor.valueEnd()));
            }
        }
    }
}
