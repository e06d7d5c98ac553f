package dev.sluice.server.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of every command that talks to a node: the token, and TLS with the node's CA and a certificate of one's own. */
final class NodeAccess {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            defaultValue = "${env:SLUICE_TOKEN}",
            description = "The node's security.token. Default: the environment's SLUICE_TOKEN.")
    private @Nullable String token;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Read the token from this file, so that no list of processes shows it.")
    private @Nullable Path tokenFile;

    @Option(names = "--ca", paramLabel = "FILE", description = "Connect with TLS and trust these certificates (PEM).")
    private @Nullable Path ca;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description = "Connect with TLS and show this certificate (PEM) to a node that asks for one; needs --key.")
    private @Nullable Path certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "The private key of --cert (PEM).")
    private @Nullable Path key;

    Optional<String> token() {
        if (tokenFile == null) {
            return Optional.ofNullable(token).filter(text -> !text.isEmpty());
        }
        try {
            return Optional.of(Files.readString(tokenFile).strip());
        } catch (IOException unreadable) {
            throw wrong("--token-file " + tokenFile + " cannot be read; name a file that holds the token");
        }
    }

    boolean isSecure() {
        requirePair();
        return ca != null || certificate != null;
    }

    Optional<Path> ca() {
        return Optional.ofNullable(ca);
    }

    Optional<Path> certificate() {
        requirePair();
        return Optional.ofNullable(certificate);
    }

    Optional<Path> key() {
        return Optional.ofNullable(key);
    }

    /** For HTTPS; empty: the JDK's own. */
    Optional<SSLContext> context() {
        return isSecure() ? Optional.of(PemTls.context(ca(), certificate(), key())) : Optional.empty();
    }

    private void requirePair() {
        if ((certificate == null) != (key == null)) {
            throw wrong("--cert and --key belong together; name both");
        }
    }

    ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
