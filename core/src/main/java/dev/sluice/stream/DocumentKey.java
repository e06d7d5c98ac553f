package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.log.WireReader;

/**
 * What tells a document from all others of its backend, as bytes: kind of {@code _id}, collection, {@code _id}. The
 * tenant is no part of it: deletes often lack it.
 */
final class DocumentKey {
    private static final int COLLECTION = 3;
    private static final int DOCUMENT_ID = 4;
    private static final int KIND_AND_SEPARATOR = 2;

    private DocumentKey() {}

    static int length(EventRecord event) {
        WireReader field = fields(event);
        int length = KIND_AND_SEPARATOR;
        while (field.next() && field.field() <= DOCUMENT_ID) {
            length += field.field() >= COLLECTION ? field.length() : 0;
        }
        return length;
    }

    private static WireReader fields(EventRecord event) {
        return new WireReader(event.array(), event.bodyOffset(), event.bodyOffset() + event.bodyLength());
    }

    /** Writes the key and says where it ends. */
    static int copy(EventRecord event, byte[] to, int at) {
        WireReader field = fields(event);
        to[at++] = (byte) event.documentIdKind().ordinal();
        while (field.next() && field.field() <= DOCUMENT_ID) {
            if (field.field() == COLLECTION) {
                at = put(event, field, to, at);
                // No collection's name has a zero in it.
                to[at++] = 0;
            } else if (field.field() == DOCUMENT_ID) {
                at = put(event, field, to, at);
            }
        }
        return at;
    }

    private static int put(EventRecord event, WireReader field, byte[] to, int at) {
        System.arraycopy(event.array(), field.offset(), to, at, field.length());
        return at + field.length();
    }
}
