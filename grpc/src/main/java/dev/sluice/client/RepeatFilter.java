package dev.sluice.client;

import dev.sluice.grpc.puller.v1.ClusterTime;
import dev.sluice.grpc.puller.v1.Event;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Recognises events that were handled before: at least once means that some come twice, after a crash or a change of
 * server. It remembers the last change of each document, for so many documents; a repeat of a document it has forgotten
 * is not recognised. For one thread. Ask before handling, tell after.
 */
public final class RepeatFilter {
    private record Document(String backend, String collection, String id) {}

    /** All events of a transaction share one time, so the ids of that time are remembered, too. */
    private record Last(long time, Set<String> ids) {}

    private final Map<Document, Last> documents;

    public RepeatFilter(int maxDocuments) {
        this.documents = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Document, Last> eldest) {
                return size() > maxDocuments;
            }
        };
    }

    public boolean handledBefore(Event event) {
        Last last = documents.get(documentOf(event));
        if (last == null) {
            return false;
        }
        int order = Long.compareUnsigned(timeOf(event), last.time);
        return order < 0 || (order == 0 && last.ids.contains(event.getId()));
    }

    public void handled(Event event) {
        long time = timeOf(event);
        Last last = documents.get(documentOf(event));
        if (last != null && last.time == time) {
            last.ids.add(event.getId());
            return;
        }
        Set<String> ids = new HashSet<>(2);
        ids.add(event.getId());
        documents.put(documentOf(event), new Last(time, ids));
    }

    private static Document documentOf(Event event) {
        return new Document(event.getBackend(), event.getCollection(), event.getDocumentId());
    }

    private static long timeOf(Event event) {
        ClusterTime time = event.getClusterTime();
        return (long) time.getT() << 32 | time.getI() & 0xFFFF_FFFFL;
    }
}
