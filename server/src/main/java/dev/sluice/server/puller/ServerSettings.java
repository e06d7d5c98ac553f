package dev.sluice.server.puller;

import dev.sluice.grpc.PullerOptions;
import dev.sluice.grpc.ServerSecurity;
import dev.sluice.server.config.PullerConfig;
import dev.sluice.server.config.SecurityConfig;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.stream.StreamLimits;
import dev.sluice.stream.StreamMeter;

/** What the gRPC server is given of the configuration. */
final class ServerSettings {
    private ServerSettings() {}

    static ServerSecurity security(SecurityConfig security) {
        return new ServerSecurity(
                security.tls().certificate().orElse(null),
                security.tls().key().orElse(null),
                security.tls().ca().orElse(null),
                security.token().map(Secret::reveal).orElse(null),
                security.insecure());
    }

    static PullerOptions options(PullerConfig puller, StreamMeter meter) {
        var consumer = puller.consumer();
        return PullerOptions.DEFAULT
                .withLimits(StreamLimits.DEFAULT
                        .withCatchUpThreshold(
                                consumer.coalesceOnCatchUp() ? consumer.catchUpThreshold() : Long.MAX_VALUE)
                        .withMaxAheadWait(puller.maxAheadWait())
                        .withRetention(puller.cleaner().retention()))
                .withMaxConnections(puller.grpc().maxConnections())
                .withThresholds(consumer.slowThreshold(), consumer.criticalThreshold())
                .withMeter(meter);
    }
}
