package dev.sluice.server.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The running node that a command asks: the options that name it, and the asking. */
final class AdminAddress {

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8080",
            description = "The node's admin address; https://HOST:PORT with TLS. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private String admin;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            defaultValue = "${env:SLUICE_TOKEN}",
            description = "The node's security.token. Default: the environment's SLUICE_TOKEN.")
    private @Nullable String token;

    /** @throws IllegalStateException when nobody answers, or answers otherwise than with 200 */
    String get(String path) throws InterruptedException {
        var root = admin.contains("://") ? admin : "http://" + admin;
        var request = HttpRequest.newBuilder(URI.create(root + path)).timeout(Duration.ofSeconds(10));
        if (token != null && !token.isEmpty()) {
            request.header("authorization", "Bearer " + token);
        }
        try (var client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build()) {
            var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(admin + " answers " + answer.statusCode() + ": "
                        + answer.body().strip());
            }
            return answer.body();
        } catch (IOException silent) {
            throw new IllegalStateException(
                    "nobody answers at " + admin + "; see that a node runs there, or name another with --admin",
                    silent);
        }
    }
}
