package dev.sluice.server.config;

import dev.sluice.net.ListenAddress;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The gateway server for end users, and patience with gateways that vanish. */
public record GatewayConfig(
        @Setting(
                fallback = "127.0.0.1:8090",
                meaning = "Where end users connect (WebSocket, SSE); `:port` means loopback.")
        ListenAddress address,

        @Setting(meaning = "This gateway's name, the same after a restart; else `gateway-` and the name of its node.")
        Optional<String> id,

        @Setting(
                meaning = "The Streamer it belongs to, as in `10.0.0.1:50052`; else the one at `routing.grpc.address`.")
        Optional<String> streamer,

        @Setting(
                fallback = "127.0.0.1:0",
                meaning = "Where it takes events from the Streamer (HTTP/2); port 0 takes any free one.")
        ListenAddress receive,

        @Setting(meaning = "The URL the Streamer finds it by, when that is not the address it listens on.")
        Optional<String> advertise,

        @Setting(meaning = "What end users show; without it everybody who reaches the address sees every tenant.")
        Jwt jwt,

        @Setting(meaning = "Pages from elsewhere that may connect, as in `https://app.example.com`.")
        List<String> origins,

        @Setting(meaning = "What end users may take.") Limits limits,

        @Setting(fallback = "30s", meaning = "A gateway that does not beat for so long is away.")
        Duration lease,

        @Setting(
                fallback = "300s",
                meaning = "How long the matches of a gateway whose lease ended are kept before failover, or the end.")
        Duration grace) {

    public GatewayConfig {
        new Rules()
                .nodeName(id, "id")
                .require(
                        streamer.isEmpty() || RoutingConfig.isAddress(streamer.get()),
                        "must be an address as in 10.0.0.1:50052",
                        "streamer")
                .positive(lease, "lease")
                .positive(grace, "grace")
                .enforce();
    }

    /** JSON Web Tokens, of one kind. */
    public record Jwt(
            @Setting(meaning = "Signs and checks them (HS256); best as `${SLUICE_JWT_SECRET}`.")
            Optional<Secret> secret,

            @Setting(meaning = "Secrets that are accepted too, while tokens signed with them live.")
            List<Secret> otherSecrets,

            @Setting(meaning = "Checks them (RS256): the file of an RSA public key, PEM.")
            Optional<Path> publicKey,

            @Setting(meaning = "Files of public keys that are accepted too.")
            List<Path> otherPublicKeys) {

        private static final int SHORTEST = 32;

        public Jwt {
            new Rules()
                    .require(
                            secret.isEmpty() || secret.get().reveal().length() >= SHORTEST,
                            "must have at least " + SHORTEST + " characters; make one with: openssl rand -hex 32",
                            "secret")
                    .require(
                            otherSecrets.stream()
                                    .allMatch(other -> other.reveal().length() >= SHORTEST),
                            "must have at least " + SHORTEST + " characters each",
                            "otherSecrets")
                    .require(
                            secret.isPresent() || otherSecrets.isEmpty(),
                            "needs secret beside it",
                            "otherSecrets",
                            "secret")
                    .require(
                            publicKey.isPresent() || otherPublicKeys.isEmpty(),
                            "needs public_key beside it",
                            "otherPublicKeys",
                            "publicKey")
                    .require(
                            secret.isEmpty() || publicKey.isEmpty(),
                            "cannot be combined with secret; keep the one your tokens are signed for",
                            "publicKey",
                            "secret")
                    .enforce();
        }

        public boolean isSet() {
            return secret.isPresent() || publicKey.isPresent();
        }
    }

    public record Limits(
            @Setting(fallback = "10000", meaning = "End users connected at a time.")
            int connections,

            @Setting(fallback = "100", meaning = "Of these from one IP address.")
            int connectionsPerAddress,

            @Setting(fallback = "100", meaning = "Subscriptions of one WebSocket.")
            int subscriptionsPerConnection) {

        public Limits {
            new Rules()
                    .atLeast(1, connections, "connections")
                    .atLeast(1, connectionsPerAddress, "connectionsPerAddress")
                    .atLeast(1, subscriptionsPerConnection, "subscriptionsPerConnection")
                    .enforce();
        }
    }
}
