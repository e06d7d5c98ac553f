package dev.sluice.testkit.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class LedgerPropertiesTest {

    /** Versions around the borders of the bit words, so that a wrong shift shows. */
    @Property(tries = 500)
    void countsAgreeWithTheDefinitionsForAnyHistory(
            @ForAll Set<@IntRange(min = 1, max = 200) Integer> written,
            @ForAll @Size(max = 60) List<@IntRange(min = 1, max = 200) Integer> arrivals) {
        Ledger ledger =
                new Ledger().expect("every", Expectation.everyVersion()).expect("newest", Expectation.newestVersion());
        written.forEach(v -> ledger.written("doc", v));
        Set<Integer> seen = new HashSet<>();
        int newest = 0;
        int duplicated = 0;
        int reordered = 0;
        for (int v : arrivals) {
            ledger.arrived("every", "doc", v, "", false);
            ledger.arrived("newest", "doc", v, "", false);
            if (!seen.add(v)) {
                duplicated++;
            } else if (v < newest) {
                reordered++;
            }
            newest = Math.max(newest, v);
        }
        int newestWritten = written.stream().mapToInt(v -> v).max().orElse(0);
        LedgerReport report = ledger.report();
        LedgerReport.Line every = report.of("every");
        assertThat(every.count(Finding.DUPLICATE)).isEqualTo(duplicated);
        assertThat(every.count(Finding.REORDERED)).isEqualTo(reordered);
        assertThat(every.count(Finding.LOST))
                .isEqualTo(written.stream().filter(v -> !seen.contains(v)).count());
        assertThat(every.count(Finding.NEVER_WRITTEN))
                .isEqualTo(seen.stream().filter(v -> !written.contains(v)).count());
        assertThat(every.owed()).isEqualTo(written.size());
        assertThat(every.arrived()).isEqualTo(seen.size());
        assertThat(report.of("newest").count(Finding.LOST)).isEqualTo(newest < newestWritten ? 1 : 0);
    }
}
