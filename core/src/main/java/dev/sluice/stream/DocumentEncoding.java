package dev.sluice.stream;

/** How a consumer wants documents written. */
public enum DocumentEncoding {
    /** MongoDB's relaxed extended JSON, in UTF-8. */
    JSON,
    /** As the source stores them. */
    BSON
}
