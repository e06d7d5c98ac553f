package dev.sluice.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * From the source's wall clock to the gateways: devmongo → Puller → log → match → four gateways, in {@link E2eWorld}. Two fixed
 * rates; then the highest rates that hold, with 2 and with 10 matches per event; then registrations beside the events.
 */
final class E2eBenchmark {
    static final String NAME = "e2e";
    static final String DESCRIPTION =
            "from the source to four gateways' acknowledgement (gRPC, HTTP/2): p50, p99, CPU; the highest rate; beside registrations";
    static final String DETAILS = """
            1. 5,000 and 10,000 events/s with 2 matches each: 120 s after 10 of warm-up.
            2. The highest rate whose p99 stays at or below 100 ms, with 2 and with 10 matches per event: steps of factor 1.25,
               10 s each, then 60 s to confirm. Not with --quick.
            3. 10,000 new registrations/s, 100 per call, while 5,000 events/s flow: 60 s.
            With --quick parts 1 and 3 measure 15 s each. --seconds N sets the seconds of part 1.
            The gateways are in the measuring process and share the machine with Sluice and the source: the last column tells
            how many cores each kept busy. A generator more than 2 % below its rate is named, and the rate counts as not held.""";

    private static final int[] RATES = {5_000, 10_000};
    private static final int MATCHES = 2;
    private static final int WARM_UP_SECONDS = 10;
    private static final int TRIAL_SECONDS = 10;
    private static final int CONFIRM_SECONDS = 60;

    private final Trial.Length length;
    private final Consumer<String> progress;

    /** A search begins here; it holds on two cores. */
    private enum Search {
        FEW(2, 10_000),
        MANY(10, 4_000);

        private final int matches;
        private final int first;

        Search(int matches, int first) {
            this.matches = matches;
            this.first = first;
        }
    }

    E2eBenchmark(Trial.Length length, Consumer<String> progress) {
        this.length = length;
        this.progress = progress;
    }

    Verdict run() throws Exception {
        boolean passes = true;
        StringBuilder text = new StringBuilder(E2eStretch.HEAD);
        for (int rate : RATES) {
            try (E2eWorld world = new E2eWorld(MATCHES)) {
                E2eStretch row = said(world.stretch(rate, WARM_UP_SECONDS, length.secondsOr(120, 15)));
                text.append(row.row());
                passes &= row.passes();
            }
        }
        text.append("bounds: p50 %d ms, p99 %d ms%n".formatted(E2eStretch.BOUND_P50, E2eStretch.BOUND_P99));
        if (!length.quick()) {
            text.append(highestRates());
        }
        text.append(besideRegistrations());
        return Verdict.of(text.toString(), passes);
    }

    private E2eStretch said(E2eStretch stretch) {
        progress.accept(stretch.line());
        return stretch;
    }

    private String highestRates() throws Exception {
        StringBuilder text = new StringBuilder("%nHighest rate that holds:%n%n%s".formatted(E2eStretch.HEAD));
        List<String> limits = new ArrayList<>();
        for (Search search : Search.values()) {
            try (WarmWorld world = new WarmWorld(search.matches)) {
                RateSearch.Found found = new RateSearch(search.first, world::at).run();
                text.append(found.confirmed().row());
                limits.add(limit(search, found));
            }
        }
        limits.forEach(text::append);
        return text.toString();
    }

    private static String limit(Search search, RateSearch.Found found) {
        E2eStretch above = found.above();
        return "with %d matches per event: %s%s%n"
                .formatted(
                        search.matches,
                        found.confirmed().holds() ? "" : "no rate held; ",
                        above == null ? "no higher rate was tried" : "above it " + above.line());
    }

    private String besideRegistrations() throws Exception {
        try (E2eWorld world = new E2eWorld(MATCHES)) {
            E2eStretch unused = said(world.stretch(RATES[0], 0, WARM_UP_SECONDS));
            BesideRegistrations row =
                    BesideRegistrations.measure(world, RATES[0], length.quick() ? 15 : CONFIRM_SECONDS);
            progress.accept(row.line());
            return BesideRegistrations.HEAD + row.row();
        }
    }

    /** A world that is warm from the trials before; one that a trial overran is replaced. */
    private final class WarmWorld implements AutoCloseable {
        private final int matches;
        private @Nullable E2eWorld world;

        WarmWorld(int matches) {
            this.matches = matches;
        }

        E2eStretch at(int rate, boolean confirms) throws Exception {
            E2eWorld here = world;
            int warmUp = here == null ? WARM_UP_SECONDS : WARM_UP_SECONDS / 2;
            here = here == null ? new E2eWorld(matches) : here;
            world = here;
            E2eStretch stretch = said(here.stretch(rate, warmUp, confirms ? CONFIRM_SECONDS : TRIAL_SECONDS));
            if (stretch.received() < stretch.expected()) {
                close();
            }
            return stretch;
        }

        @Override
        public void close() {
            if (world != null) {
                world.close();
                world = null;
            }
        }
    }
}
