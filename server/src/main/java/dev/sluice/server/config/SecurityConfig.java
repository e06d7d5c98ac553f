package dev.sluice.server.config;

import dev.sluice.net.Protection;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.nio.file.Path;
import java.util.Optional;

/** What an address that others can reach demands: TLS and a credential, or somebody's word that it is fine without. */
public record SecurityConfig(
        @Setting(meaning = "Encryption of what listens.") Tls tls,

        @Setting(meaning = "The credential clients must show; best as `${SLUICE_TOKEN}`.")
        Optional<Secret> token,

        @Setting(
                fallback = "false",
                meaning =
                        "Allow addresses that others can reach without TLS and credential; for networks that are trusted as a whole.")
        boolean insecure) {

    public SecurityConfig {
        new Rules()
                .require(
                        token.isEmpty() || token.get().reveal().strip().length() >= 16,
                        "must have at least 16 characters that are not spaces; make one with: openssl rand -hex 32",
                        "token")
                .enforce();
    }

    public Protection protection() {
        return new Protection(
                tls.certificate().isPresent(), token.isPresent() || tls.ca().isPresent(), insecure);
    }

    public record Tls(
            @Setting(meaning = "The server's certificate chain, PEM.")
            Optional<Path> certificate,

            @Setting(meaning = "Its private key, PEM.") Optional<Path> key,

            @Setting(meaning = "The CA whose client certificates are accepted as a credential, PEM.")
            Optional<Path> ca) {

        public Tls {
            new Rules()
                    .require(
                            key.isPresent() || certificate.isEmpty(),
                            "needs security.tls.key beside it",
                            "certificate",
                            "key")
                    .require(
                            certificate.isPresent() || key.isEmpty(),
                            "needs security.tls.certificate beside it",
                            "key",
                            "certificate")
                    .require(
                            certificate.isPresent() || ca.isEmpty(),
                            "needs security.tls.certificate beside it",
                            "ca",
                            "certificate")
                    .enforce();
        }
    }
}
