package dev.sluice.server.puller;

import dev.sluice.grpc.PullerOptions;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.server.config.PullerConfig;
import dev.sluice.server.config.SecurityConfig;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamMeter;

/** What gRPC servers are given of the configuration. */
public final class ServerSettings {
    private ServerSettings() {}

    public static ServerSecurity security(SecurityConfig security) {
        return new ServerSecurity(
                security.tls().certificate().orElse(null),
                security.tls().key().orElse(null),
                security.tls().ca().orElse(null),
                security.token().map(Secret::reveal).orElse(null),
                security.insecure());
    }

    static StreamLimits limits(PullerConfig puller) {
        var consumer = puller.consumer();
        return StreamLimits.DEFAULT
                .withCatchUpThreshold(consumer.coalesceOnCatchUp() ? consumer.catchUpThreshold() : Long.MAX_VALUE)
                .withMaxAheadWait(puller.maxAheadWait())
                .withRetention(puller.cleaner().retention());
    }

    static PullerOptions options(PullerConfig puller, StreamLimits limits, StreamMeter meter) {
        var consumer = puller.consumer();
        return PullerOptions.DEFAULT
                .withLimits(limits)
                .withMaxConnections(puller.grpc().maxConnections())
                .withThresholds(consumer.slowThreshold(), consumer.criticalThreshold())
                .withMeter(meter);
    }
}
