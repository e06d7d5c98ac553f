package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.log.WireReader;

/**
 * What tells a document from all others of its backend, as bytes: kind of {@code _id}, collection, {@code _id}. The
 * tenant is no part of it: deletes often lack it. Used again for event after event.
 */
final class DocumentKey {
    private static final int COLLECTION = 3;
    private static final int DOCUMENT_ID = 4;
    private static final int KIND_AND_SEPARATOR = 2;

    private byte[] bytes = {};
    private byte kind;
    private int collection;
    private int collectionLength;
    private int id;
    private int idLength;

    /** Finds the parts of this event's key. */
    void read(EventRecord event) {
        bytes = event.array();
        kind = (byte) event.documentIdKind().ordinal();
        collectionLength = 0;
        idLength = 0;
        WireReader field = new WireReader(bytes, event.bodyOffset(), event.bodyOffset() + event.bodyLength());
        while (field.next() && field.field() <= DOCUMENT_ID) {
            if (field.field() == COLLECTION) {
                collection = field.offset();
                collectionLength = field.length();
            } else if (field.field() == DOCUMENT_ID) {
                id = field.offset();
                idLength = field.length();
            }
        }
    }

    int length() {
        return KIND_AND_SEPARATOR + collectionLength + idLength;
    }

    /** Writes the key and says where it ends. */
    int copyTo(byte[] to, int at) {
        to[at++] = kind;
        System.arraycopy(bytes, collection, to, at, collectionLength);
        at += collectionLength;
        // No collection's name has a zero in it.
        to[at++] = 0;
        System.arraycopy(bytes, id, to, at, idLength);
        return at + idLength;
    }
}
