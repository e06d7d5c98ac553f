package dev.sluice.server.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonString;
import org.bson.json.JsonParseException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The running node that a command asks: the options that name it, and the asking. */
final class AdminAddress {
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(10);

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8080",
            description = "The node's admin address; https://HOST:PORT, or --ca, with TLS. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private String admin;

    @Mixin
    private NodeAccess access = new NodeAccess();

    /** @throws IllegalStateException when nobody answers, or answers otherwise than with success */
    String get(String path) throws InterruptedException {
        return send("GET", path, "");
    }

    /** The same with another method; an empty body is none. */
    String send(String method, String path, String body) throws InterruptedException {
        var root = root();
        var content = body.isEmpty() ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
        var request = HttpRequest.newBuilder(URI.create(root + path))
                .timeout(REQUEST_TIMEOUT)
                .method(method, content);
        if (!body.isEmpty()) {
            request.header("content-type", "application/json");
        }
        access.token().ifPresent(token -> request.header("authorization", "Bearer " + token));
        try (var client = client()) {
            var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() / 100 != 2) {
                throw new IllegalStateException(refusal(answer));
            }
            return answer.body();
        } catch (SSLException untrusted) {
            throw new IllegalStateException(
                    "TLS with " + admin + " fails: " + untrusted.getMessage()
                            + "; name the node's CA with --ca, and a certificate with --cert and --key where it asks for one",
                    untrusted);
        } catch (IOException failed) {
            throw new IllegalStateException(sentence(admin, failed), failed);
        }
    }

    /** A request without an answer, in one sentence: a node that has the request goes on with it. */
    static String sentence(String admin, IOException failed) {
        boolean unreached = failed instanceof ConnectException || failed instanceof HttpConnectTimeoutException;
        if (unreached) {
            return "no node answers at " + admin + "; see that a node runs there, or name another with --admin";
        }
        String what = failed instanceof HttpTimeoutException
                ? " did not answer within " + REQUEST_TIMEOUT.toSeconds() + " s"
                : " closed the connection without an answer";
        return admin + what
                + "; if it has the request and still runs, it goes on with it: a list or status command shows"
                + " how far it is";
    }

    /** Refuses TLS options with an address that is not encrypted: the token would go out in the clear. */
    private String root() {
        if (!admin.contains("://")) {
            return (access.isSecure() ? "https://" : "http://") + admin;
        }
        if (access.isSecure() && !admin.regionMatches(true, 0, "https://", 0, "https://".length())) {
            throw access.wrong("--admin " + admin
                    + " is not encrypted, and --ca and --cert are for TLS; write https://, or leave them out");
        }
        return admin;
    }

    private HttpClient client() {
        var builder = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5));
        access.context().ifPresent(builder::sslContext);
        return builder.build();
    }

    private String refusal(HttpResponse<String> answer) {
        if (answer.statusCode() == 404 && answer.body().isBlank()) {
            return admin + " does not know this; its node may have another role, or an older version";
        }
        return admin + " answers " + answer.statusCode() + ": " + sentence(answer.body());
    }

    /** Of a JSON refusal its sentence alone. */
    private static String sentence(String body) {
        try {
            return BsonDocument.parse(body)
                    .getString("error", new BsonString(body.strip()))
                    .getValue();
        } catch (JsonParseException | BsonInvalidOperationException plain) {
            return body.strip();
        }
    }
}
