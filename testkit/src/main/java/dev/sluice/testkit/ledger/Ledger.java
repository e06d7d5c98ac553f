package dev.sluice.testkit.ledger;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Compares what was written with what arrived. Declare each consumer by {@link #expect}, record from any thread, and ask
 * for the {@link #report()} when writers and consumers have come to rest.
 *
 * <p>Order is judged by first occurrences, per consumer and document: a first occurrence of an older version after a
 * newer one is a reordering; a version that comes once more is a duplicate, however old it is. Millions of events fit:
 * about a bit per consumer and version, and eight bytes per version where event ids are recorded.
 */
public final class Ledger implements Recorder {

    /** Versions are bit positions; one that is this large is a mistake, such as a timestamp. */
    private static final int MAX_VERSION = 1 << 26;

    private final ConcurrentHashMap<String, DocumentHistory> documents = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Consumer> consumers = new ConcurrentHashMap<>();

    /** Declares a consumer and what it is owed; before its first arrival, and once. */
    public synchronized Ledger expect(String consumer, Expectation owed) {
        if (consumers.containsKey(consumer)) {
            throw new IllegalArgumentException(
                    "Consumer \"" + consumer + "\" is declared already: name each one once.");
        }
        consumers.put(consumer, new Consumer(consumer, consumers.size(), owed));
        return this;
    }

    @Override
    public void attempted(String document, int version) {
        document(document, version).attempted(version);
    }

    @Override
    public void written(String document, int version) {
        if (!document(document, version).written(version)) {
            throw new IllegalArgumentException(
                    "Version " + version + " of " + document + " was written already: use each number once.");
        }
    }

    @Override
    public void arrived(String consumer, String document, int version, String eventId, boolean flaggedAsRepeat) {
        Consumer known = consumers.get(consumer);
        if (known == null) {
            throw new IllegalArgumentException("Unknown consumer \"" + consumer + "\": declare it by expect(…).");
        }
        document(document, version).arrived(known, document, version, eventId, flaggedAsRepeat);
    }

    /** The state as of now; what is still on its way counts as lost. */
    public LedgerReport report() {
        List<LedgerReport.Line> lines = new ArrayList<>();
        consumers.values().stream()
                .sorted(Comparator.comparingInt(Consumer::index))
                .forEach(consumer -> {
                    Consumer.Tally tally = consumer.tallySoFar();
                    documents.forEach((key, history) -> history.judge(tally, key, consumer.owed()));
                    lines.add(consumer.line(tally));
                });
        return new LedgerReport(lines);
    }

    private DocumentHistory document(String key, int version) {
        if (version < 1 || version > MAX_VERSION) {
            throw new IllegalArgumentException("Version " + version + " of " + key + " is not in 1.." + MAX_VERSION
                    + ": count the writes of each document from 1.");
        }
        DocumentHistory known = documents.get(key);
        return known != null ? known : documents.computeIfAbsent(key, k -> new DocumentHistory());
    }
}
