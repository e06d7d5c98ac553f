package dev.sluice.mongodb;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.Fnv1a64;
import dev.sluice.model.InvalidInputException;
import java.nio.charset.StandardCharsets;

/**
 * One change event as the server sent it: where its parts lie in the raw bytes, found in a single pass over the
 * top-level fields, whatever their order ({@code _id} is not always first). Reusable: each {@link #parse} starts
 * afresh. For one thread.
 */
final class RawEvent {
    private static final byte[] ID = name("_id");
    private static final byte[] OPERATION_TYPE = name("operationType");
    private static final byte[] CLUSTER_TIME = name("clusterTime");
    private static final byte[] WALL_TIME = name("wallTime");
    private static final byte[] NS = name("ns");
    private static final byte[] COLL = name("coll");
    private static final byte[] TO = name("to");
    private static final byte[] DOCUMENT_KEY = name("documentKey");
    private static final byte[] FULL_DOCUMENT = name("fullDocument");
    private static final byte[] BEFORE_CHANGE = name("fullDocumentBeforeChange");
    private static final byte[] UPDATE_DESCRIPTION = name("updateDescription");
    private static final byte[] TXN_NUMBER = name("txnNumber");
    private static final byte[] SPLIT_EVENT = name("splitEvent");
    private static final byte[] FRAGMENT = name("fragment");
    private static final byte[] OF = name("of");

    private final RawFields fields = new RawFields();
    private final RawFields inner = new RawFields();

    byte[] array = {};
    final Span token = new Span();
    final Span collection = new Span();
    final Span target = new Span();
    final Span targetCollection = new Span();
    final Span documentKey = new Span();
    final Span document = new Span();
    final Span before = new Span();
    final Span update = new Span();
    ServerOperation operation = ServerOperation.OTHER;
    ClusterTime clusterTime = ClusterTime.ZERO;
    long wallTime;
    long txnNumber;
    boolean inTransaction;
    int fragment;
    int fragments;

    /** A part of {@link #array}; absent when empty. */
    static final class Span {
        int start;
        int length;

        boolean isPresent() {
            return length > 0;
        }

        private void set(int from, int to) {
            start = from;
            length = to - from;
        }
    }

    RawEvent parse(byte[] array, int offset) {
        clear(array);
        fields.over(array, offset);
        while (fields.next()) {
            take();
        }
        if (!token.isPresent()) {
            throw new InvalidInputException("the source sent a change event without a resume token");
        }
        return this;
    }

    private void clear(byte[] array) {
        this.array = array;
        token.length = 0;
        collection.length = 0;
        target.length = 0;
        targetCollection.length = 0;
        documentKey.length = 0;
        document.length = 0;
        before.length = 0;
        update.length = 0;
        operation = ServerOperation.OTHER;
        clusterTime = ClusterTime.ZERO;
        wallTime = 0;
        inTransaction = false;
        fragment = 0;
        fragments = 0;
    }

    private void take() {
        switch (fields.type()) {
            case RawFields.DOCUMENT -> takeDocument();
            case RawFields.STRING -> {
                if (fields.is(OPERATION_TYPE)) {
                    operation = ServerOperation.of(array, fields.textStart(), fields.textLength());
                }
            }
            case RawFields.TIMESTAMP -> {
                if (fields.is(CLUSTER_TIME)) {
                    clusterTime = new ClusterTime(fields.int64());
                }
            }
            case RawFields.DATE_TIME -> {
                if (fields.is(WALL_TIME)) {
                    wallTime = fields.int64();
                }
            }
            case RawFields.INT64 -> {
                if (fields.is(TXN_NUMBER)) {
                    txnNumber = fields.int64();
                    inTransaction = true;
                }
            }
            default -> {}
        }
    }

    private void takeDocument() {
        if (fields.is(FULL_DOCUMENT)) {
            document.set(fields.valueStart(), fields.valueEnd());
        } else if (fields.is(ID)) {
            token.set(fields.valueStart(), fields.valueEnd());
        } else if (fields.is(NS)) {
            takeCollection(collection);
        } else if (fields.is(DOCUMENT_KEY)) {
            documentKey.set(fields.valueStart(), fields.valueEnd());
        } else if (fields.is(UPDATE_DESCRIPTION)) {
            update.set(fields.valueStart(), fields.valueEnd());
        } else if (fields.is(BEFORE_CHANGE)) {
            before.set(fields.valueStart(), fields.valueEnd());
        } else if (fields.is(TO)) {
            target.set(fields.valueStart(), fields.valueEnd());
            takeCollection(targetCollection);
        } else if (fields.is(SPLIT_EVENT)) {
            takeSplit();
        }
    }

    private void takeCollection(Span into) {
        inner.over(array, fields.valueStart());
        while (inner.next()) {
            if (inner.type() == RawFields.STRING && inner.is(COLL)) {
                into.set(inner.textStart(), inner.textStart() + inner.textLength());
            }
        }
    }

    private void takeSplit() {
        inner.over(array, fields.valueStart());
        while (inner.next()) {
            if (inner.type() == RawFields.INT32 && inner.is(FRAGMENT)) {
                fragment = inner.int32();
            } else if (inner.type() == RawFields.INT32 && inner.is(OF)) {
                fragments = inner.int32();
            }
        }
    }

    /** What tells this event apart within its cluster time: a hash of the whole token document. */
    long hash() {
        return Fnv1a64.hash(array, token.start, token.length);
    }

    long timestamp() {
        return wallTime != 0 ? wallTime : clusterTime.toEpochMillis();
    }

    String text(Span span) {
        return new String(array, span.start, span.length, StandardCharsets.UTF_8);
    }

    static byte[] name(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
