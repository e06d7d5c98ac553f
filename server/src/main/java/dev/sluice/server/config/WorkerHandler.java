package dev.sluice.server.config;

import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.Rules;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;

/** The receiver the role worker forwards messages to. A message is acknowledged when the receiver has acknowledged it. */
public record WorkerHandler(
        @Setting(
                shown = "**required** for the role worker",
                meaning =
                        "Forwards each message: `http` as a POST, `grpc` as a call of `sluice.worker.v1.HandlerService`, `nats` to a subject of another stream.")
        Optional<Type> type,

        @Setting(
                meaning =
                        "The receiver of `http`, as in `https://10.0.0.5/orders`, or of `grpc`, as in `http://10.0.0.5:50060`.")
        Optional<ConnectionString> url,

        @Setting(
                meaning =
                        "The subject of `nats`, as in `out.{partition}`; `{partition}` and `{subject}` are the message's.")
        Optional<String> subject,

        @Setting(meaning = "Sent to the receiver of `http` and `grpc` as `authorization: Bearer …`.")
        Optional<Secret> token,

        @Setting(fallback = "10s", meaning = "How long one attempt may take, the connection included.")
        Duration timeout) {

    public enum Type {
        HTTP,
        GRPC,
        NATS
    }

    public WorkerHandler {
        boolean nats = type.filter(Type.NATS::equals).isPresent();
        boolean remote = type.isPresent() && !nats;
        new Rules()
                .require(!remote || url.isPresent(), "must be set for this type: where the receiver is", "url", "type")
                .require(
                        !nats || url.isEmpty(),
                        "is of no use with type: nats; remove it, or set subject",
                        "url",
                        "type")
                .require(
                        url.isEmpty() || isUrl(url.get()),
                        "must be a URL of a server, as in https://10.0.0.5/orders; write a login into token, not into the URL",
                        "url")
                .require(
                        !type.filter(Type.GRPC::equals).isPresent() || url.isEmpty() || isServer(url.get()),
                        "must name a host and a port for type: grpc, as in http://10.0.0.5:50060, or https:// for TLS",
                        "url",
                        "type")
                .require(
                        !nats || subject.isPresent(),
                        "must be set for type: nats, as in out.{partition}",
                        "subject",
                        "type")
                .require(!remote || subject.isEmpty(), "is for type: nats alone; remove it", "subject", "type")
                .require(
                        subject.isEmpty() || isTemplate(subject.get()),
                        "must be a subject, without wildcards, that begins with a token of its own, as in out.{partition};"
                                + " {partition} and {subject} are the only names",
                        "subject")
                .require(
                        !nats || token.isEmpty(), "is for http and grpc; worker.token logs in at NATS", "token", "type")
                .require(
                        token.isEmpty() || token.get().reveal().matches("[\\x21-\\x7e]+"),
                        "must be printable ASCII without spaces, because it goes into a header",
                        "token")
                .positive(timeout, "timeout")
                .enforce();
    }

    private static boolean isUrl(ConnectionString url) {
        try {
            var address = new URI(url.reveal());
            return (url.startsWith("http://") || url.startsWith("https://"))
                    && address.getHost() != null
                    && address.getPort() < 65_536
                    && address.getRawUserInfo() == null
                    && address.getRawFragment() == null;
        } catch (URISyntaxException unreadable) {
            return false;
        }
    }

    /** The receiver's host, when the token goes to another machine without encryption. */
    Optional<String> hostThatGetsTheTokenInTheClear() {
        return url.filter(address -> token.isPresent() && address.startsWith("http://"))
                .map(address -> URI.create(address.reveal()).getHost())
                .filter(host -> !host.matches("(?i)localhost|127(\\.\\d{1,3}){3}|\\[(::|0:0:0:0:0:0:0:)1]"));
    }

    private static boolean isServer(ConnectionString url) {
        return url.reveal().matches("https?://[^/?#]+:\\d{1,5}/?");
    }

    private static boolean isTemplate(String subject) {
        return WorkerPartitions.isSubject(subject.replace("{partition}", "x").replace("{subject}", "x"))
                && !subject.startsWith("{");
    }
}
