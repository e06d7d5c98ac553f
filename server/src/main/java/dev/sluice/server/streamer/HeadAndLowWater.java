package dev.sluice.server.streamer;

import dev.sluice.route.Streamer;
import dev.sluice.subscribe.StreamProgress;

/** What registrations and renewals are told of the Streamer's progress. */
record HeadAndLowWater(Streamer streamer) implements StreamProgress {
    @Override
    public String head() {
        return streamer.head();
    }

    @Override
    public String lowWater(String gatewayId) {
        return streamer.lowWater(gatewayId);
    }
}
