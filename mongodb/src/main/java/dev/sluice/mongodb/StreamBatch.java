package dev.sluice.mongodb;

import dev.sluice.capture.SourceBatch;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import java.util.List;

/**
 * What one of several streams read.
 *
 * @param tokens one per event of the batch
 * @param emptyThrough a time up to which, and including, this stream has nothing more; zero when it cannot tell
 * @param askedAfter how many batches of all streams had been taken when this one was asked for
 */
record StreamBatch(SourceBatch batch, List<RawBson> tokens, ClusterTime emptyThrough, long askedAfter) {}
