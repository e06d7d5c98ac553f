package dev.sluice.mongodb;

/**
 * What is asked of a server that can keep a document as it was before and after a change (MongoDB 6.0 on, in collections
 * with {@code changeStreamPreAndPostImages}). Such a document belongs to its event; one that is looked up may be newer.
 */
public enum Images {
    /** Documents of updates are looked up when the update is read. */
    NONE("updateLookup"),
    /** What the server kept; an update in a collection that keeps nothing comes without its document. */
    WHEN_AVAILABLE("whenAvailable"),
    /** What the server kept; capture stops at a change of which it kept nothing. */
    REQUIRED("required");

    private final String fullDocument;

    Images(String fullDocument) {
        this.fullDocument = fullDocument;
    }

    /** The server's word for it. */
    String fullDocument() {
        return fullDocument;
    }
}
