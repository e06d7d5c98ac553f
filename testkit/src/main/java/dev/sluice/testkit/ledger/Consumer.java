package dev.sluice.testkit.ledger;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One consumer: what it is owed, and what was noticed while its events arrived. */
final class Consumer {

    private final String name;
    private final int index;
    private final Expectation owed;
    private final Tally noticed;

    Consumer(String name, int index, Expectation owed) {
        this.name = name;
        this.index = index;
        this.owed = owed;
        this.noticed = new Tally(index);
    }

    int index() {
        return index;
    }

    Expectation owed() {
        return owed;
    }

    void found(Finding finding, String document, int version, String how) {
        noticed.found(finding, document, version, how);
    }

    /** What was noticed so far, to be completed by what can be judged only at the end. */
    Tally tallySoFar() {
        return noticed.copy();
    }

    LedgerReport.Line line(Tally tally) {
        return new LedgerReport.Line(name, tally.owed, tally.arrived, tally.counts, tally.examples);
    }

    /** Counts, and the first few examples of each kind. */
    static final class Tally {
        private static final int EXAMPLES = 5;

        private final int index;
        private final Map<Finding, Long> counts = new EnumMap<>(Finding.class);
        private final Map<Finding, List<String>> examples = new EnumMap<>(Finding.class);
        private long owed;
        private long arrived;

        Tally(int index) {
            this.index = index;
        }

        int index() {
            return index;
        }

        void countOwed() {
            owed++;
        }

        void countArrived() {
            arrived++;
        }

        synchronized void found(Finding finding, String document, int version, String how) {
            if (counts.merge(finding, 1L, Long::sum) <= EXAMPLES) {
                examples.computeIfAbsent(finding, f -> new ArrayList<>()).add(document + " v" + version + " " + how);
            }
        }

        private synchronized Tally copy() {
            Tally copy = new Tally(index);
            copy.counts.putAll(counts);
            examples.forEach((finding, list) -> copy.examples.put(finding, new ArrayList<>(list)));
            return copy;
        }
    }
}
