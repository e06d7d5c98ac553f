package dev.sluice.model;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One committed change, normalised: who, what, when, and its identity.
 *
 * @param backend the source database, by its configured name
 * @param tenant empty where it is not known (deletes often lack it): the tenant is no part of a document's identity
 * @param collection empty for control events that concern the whole backend
 * @param document null for deletes, for updates whose document was gone when it was looked up, and where the source
 *     does not say
 * @param updateDescription what an update changed, as MongoDB describes it; null otherwise
 * @param timestamp milliseconds since 1970 by the source's clock
 * @param txnNumber the number of the transaction the change was part of
 * @param lookup the document was read when the event was captured: it may be ahead of the event, never behind
 */
public record ChangeEvent(
        EventId id,
        String backend,
        Operation operation,
        String tenant,
        String collection,
        DocumentId documentId,
        @Nullable RawBson document,
        @Nullable RawBson updateDescription,
        long timestamp,
        OptionalLong txnNumber,
        boolean lookup) {

    public ChangeEvent {
        if (operation.isData() && (collection.isEmpty() || documentId.kind() == DocumentId.Kind.NONE)) {
            throw new InvalidInputException(
                    "a change event of operation " + operation.text() + " names a collection and a document");
        }
    }

    public ClusterTime clusterTime() {
        return id.time();
    }

    /** Control events belong to every partition; callers ask {@link Operation#isControl} first. */
    public int partition(Partitioner partitioner) {
        return partitioner.partitionOf(collection, documentId.text());
    }
}
