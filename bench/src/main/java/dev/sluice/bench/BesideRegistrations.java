package dev.sluice.bench;

/** Delivery at one rate of events while new subscriptions are registered by gRPC. */
record BesideRegistrations(E2eStretch delivery, RegistrationLoad.Outcome registrations) {
    static final String HEAD = ("%nBeside registrations:%n%n"
                    + "| events/s | matches/event | seconds | p50 ms | p99 ms | registrations/s | of | refused | failed calls | CPU µs/event |"
                    + " cores: Sluice + source + gateways |%n"
                    + "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |%n")
            .formatted();

    private static final int REGISTRATIONS = 10_000;

    static BesideRegistrations measure(E2eWorld world, int rate, int seconds) throws Exception {
        try (RegistrationLoad load = RegistrationLoad.start(world.node().controlPort(), REGISTRATIONS)) {
            E2eStretch delivery = world.stretch(rate, 0, seconds);
            return new BesideRegistrations(delivery, load.stop());
        }
    }

    String row() {
        return "| %,d | %d | %d | %d | %d | %,.0f | %,d | %,d | %,d | %.1f | %s |%n"
                .formatted(
                        delivery.rate(),
                        delivery.matches(),
                        delivery.seconds(),
                        delivery.latency().p50(),
                        delivery.latency().p99(),
                        registrations.perSecond(),
                        registrations.wanted(),
                        registrations.refused(),
                        registrations.failedCalls(),
                        delivery.cpu(),
                        delivery.cores());
    }

    String line() {
        return "%s; %,.0f registrations/s, %,d refused, %,d calls failed"
                .formatted(
                        delivery.line(),
                        registrations.perSecond(),
                        registrations.refused(),
                        registrations.failedCalls());
    }
}
