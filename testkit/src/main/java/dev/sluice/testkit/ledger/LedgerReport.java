package dev.sluice.testkit.ledger;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;

/** What the ledger says about every consumer. Its text is for people: counts first, then the first few examples. */
public record LedgerReport(List<Line> lines) {

    /**
     * One consumer.
     *
     * @param owed how many versions had to arrive
     * @param arrived how many different versions did arrive
     */
    public record Line(
            String consumer, long owed, long arrived, Map<Finding, Long> counts, Map<Finding, List<String>> examples) {
        public Line {
            counts = new EnumMap<>(counts);
            examples = new EnumMap<>(examples);
        }

        public long count(Finding finding) {
            return counts.getOrDefault(finding, 0L);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(consumer + ": owed " + owed + ", arrived " + arrived + ", lost "
                    + count(Finding.LOST) + ", reordered " + count(Finding.REORDERED) + ", duplicated "
                    + count(Finding.DUPLICATE));
            counts.forEach((finding, count) -> {
                if (finding != Finding.DUPLICATE && finding != Finding.LOST && finding != Finding.REORDERED) {
                    text.append(", ").append(finding.label()).append(' ').append(count);
                }
            });
            examples.forEach((finding, list) -> list.forEach(example ->
                    text.append("\n    ").append(finding.label()).append(": ").append(example)));
            return text.toString();
        }
    }

    public LedgerReport {
        lines = List.copyOf(lines);
    }

    /** How often this was found, over all consumers. */
    public long count(Finding finding) {
        return lines.stream().mapToLong(line -> line.count(finding)).sum();
    }

    public Line of(String consumer) {
        return lines.stream()
                .filter(line -> line.consumer().equals(consumer))
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("The ledger knows no consumer \"" + consumer + "\"."));
    }

    /** Whether nothing is wrong; duplicates are not wrong as such, see {@link Finding#isFault()}. */
    public boolean isClean() {
        return lines.stream().allMatch(line -> line.counts().keySet().stream().noneMatch(Finding::isFault));
    }

    /** Fails with the whole text when anything is wrong, or when nothing was owed at all, which proves nothing. */
    public void assertClean() {
        if (!isClean()) {
            throw new AssertionError("The ledger does not balance.\n" + this);
        }
        if (lines.stream().mapToLong(Line::owed).sum() == 0) {
            throw new AssertionError("The ledger is empty: nothing was written that any consumer was owed.\n" + this);
        }
    }

    @Override
    public String toString() {
        return lines.stream().map(Line::toString).collect(Collectors.joining("\n"));
    }
}
