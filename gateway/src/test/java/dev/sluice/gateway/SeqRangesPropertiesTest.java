package dev.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class SeqRangesPropertiesTest {
    @Property(tries = 300)
    void itKnowsExactlyWhatWasAdded(@ForAll @Size(max = 80) List<@LongRange(min = 1, max = 100) Long> added) {
        SeqRanges ranges = new SeqRanges();
        Set<Long> expected = new HashSet<>();
        for (long seq : added) {
            ranges.add(seq);
            expected.add(seq);
        }
        for (long seq = 0; seq <= 102; seq++) {
            assertThat(ranges.contains(seq)).as("%d of %s", seq, added).isEqualTo(expected.contains(seq));
        }
    }

    /** Forgetting may tell something twice; to claim what was not handled would lose it. */
    @Property(tries = 50)
    void withTooManyGapsItForgetsButClaimsNothing(
            @ForAll @Size(min = 200, max = 400) Set<@LongRange(min = 1) Long> added) {
        SeqRanges ranges = new SeqRanges();
        added.forEach(ranges::add);
        for (long seq : added) {
            assertThat(ranges.contains(seq + 1) && !added.contains(seq + 1)).isFalse();
            assertThat(ranges.contains(seq - 1) && !added.contains(seq - 1)).isFalse();
        }
    }
}
