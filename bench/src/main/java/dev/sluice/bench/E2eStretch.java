package dev.sluice.bench;

/**
 * What came of load at one rate.
 *
 * @param rate events per second that were asked for
 * @param reached events per second that the generator wrote
 * @param cpu microseconds of the Sluice process per event, warm-up included
 * @param cores kept busy
 */
record E2eStretch(
        int rate,
        int reached,
        int matches,
        int seconds,
        long expected,
        long received,
        E2eTimes.Latency latency,
        double cpu,
        CpuShares cores) {
    static final int BOUND_P50 = 10;
    static final int BOUND_P99 = 100;

    /** A generator this far below its rate, in percent, is the limit and not Sluice. */
    private static final int SHORT_OF_RATE = 2;

    static final String HEAD = ("| events/s | matches/event | seconds | matches owed | received | p50 ms | p99 ms"
                    + " | p99 of the second half | most ms | CPU µs/event | cores: Sluice + source + gateways |%n"
                    + "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |%n")
            .formatted();

    boolean generatorFellShort() {
        return reached * 100L < (long) rate * (100 - SHORT_OF_RATE);
    }

    /** All matches came, and 99 of 100 in time, also in the second half: the delay does not grow. */
    boolean holds() {
        return received >= expected
                && latency.p99() <= BOUND_P99
                && latency.p99Late() <= BOUND_P99
                && !generatorFellShort();
    }

    boolean passes() {
        return holds() && latency.p50() <= BOUND_P50;
    }

    String row() {
        return "| %,d%s | %d | %d | %,d | %,d | %d | %d | %d | %d | %.1f | %s |%n"
                .formatted(
                        rate,
                        generatorFellShort() ? " (generator reached %,d)".formatted(reached) : "",
                        matches,
                        seconds,
                        expected,
                        received,
                        latency.p50(),
                        latency.p99(),
                        latency.p99Late(),
                        latency.most(),
                        cpu,
                        cores);
    }

    /** For progress. */
    String line() {
        return "%,d events/s, %d matches each, %d s: p50 %d ms, p99 %d ms, %.1f µs of CPU per event, cores %s%s%s"
                .formatted(
                        rate,
                        matches,
                        seconds,
                        latency.p50(),
                        latency.p99(),
                        cpu,
                        cores,
                        received < expected ? ", %,d matches missing".formatted(expected - received) : "",
                        generatorFellShort() ? "; the generator reached only %,d".formatted(reached) : "");
    }
}
