package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** The search for the highest rate, against rates that hold or not. */
class RateSearchTest {
    private final List<String> trials = new ArrayList<>();

    private RateSearch.Found search(int first, IntPredicate brief, IntPredicate confirming) throws Exception {
        return new RateSearch(first, (rate, confirms) -> {
                    trials.add((confirms ? "long " : "short ") + rate);
                    return stretch(rate, rate, (confirms ? confirming : brief).test(rate) ? 40 : 400);
                })
                .run();
    }

    private static E2eStretch stretch(int rate, int reached, int p99) {
        return new E2eStretch(
                rate,
                reached,
                2,
                10,
                1_000,
                1_000,
                new E2eTimes.Latency(3, p99, p99, 500),
                50,
                new CpuShares(0.5, 0.2, 0.3));
    }

    @Test
    void goesUpUntilARateFailsAndConfirmsTheOneBelow() throws Exception {
        RateSearch.Found found = search(10_000, rate -> rate <= 13_000, rate -> true);
        assertThat(trials).containsExactly("short 10000", "short 12500", "short 15600", "long 12500");
        assertThat(found.confirmed().rate()).isEqualTo(12_500);
        assertThat(found.above()).isNotNull().extracting(E2eStretch::rate).isEqualTo(15_600);
    }

    @Test
    void goesDownWhereTheLongTrialDoesNotConfirm() throws Exception {
        RateSearch.Found found = search(10_000, rate -> rate <= 13_000, rate -> rate < 9_000);
        assertThat(trials)
                .containsExactly("short 10000", "short 12500", "short 15600", "long 12500", "long 10000", "long 8000");
        assertThat(found.confirmed().rate()).isEqualTo(8_000);
        assertThat(found.above()).isNotNull().extracting(E2eStretch::rate).isEqualTo(10_000);
    }

    @Test
    void goesDownByShortTrialsWhereTheFirstRateFails() throws Exception {
        RateSearch.Found found = search(10_000, rate -> rate < 7_000, rate -> true);
        assertThat(trials).containsExactly("short 10000", "short 8000", "short 6400", "long 6400");
        assertThat(found.confirmed().holds()).isTrue();
    }

    @Test
    void endsWhereNoRateHolds() throws Exception {
        RateSearch.Found found = search(1_000, rate -> false, rate -> false);
        assertThat(trials).containsExactly("short 1000", "short 800", "short 600", "short 500");
        assertThat(found.confirmed().holds()).isFalse();
    }

    @Test
    void aGeneratorThatFellShortIsNamedAndDoesNotCount() {
        E2eStretch stretch = stretch(10_000, 9_700, 40);
        assertThat(stretch.holds()).isFalse();
        assertThat(stretch.row()).contains("generator reached 9,700");
        assertThat(stretch(10_000, 9_900, 40).holds()).isTrue();
    }
}
