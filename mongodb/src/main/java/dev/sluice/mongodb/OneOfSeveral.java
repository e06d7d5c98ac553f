package dev.sluice.mongodb;

import dev.sluice.capture.SourceException;

/** A stream that is read beside others and merged with them. Used by one thread. */
interface OneOfSeveral {
    /**
     * The next events, with what the merge needs to know besides.
     *
     * @param askedAfter how many batches of all streams had been taken before this call
     */
    StreamBatch nextOfSeveral(long askedAfter) throws SourceException;

    void close();
}
