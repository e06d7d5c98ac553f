package dev.sluice.server.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice status}: how a running node fares. */
@Command(
        name = "status",
        header = "How a running node fares: health, backends, consumers.",
        synopsisHeading = "%nUsage:%n  ",
        descriptionHeading = "%n",
        description = "Exit code 1 when the node cannot be asked or is unhealthy.",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nFor example:%n",
        footer = "  sluice status --admin 127.0.0.1:8080")
final class StatusCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call()
    private CommandSpec spec;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8080",
            description = "The node's admin address; https://HOST:PORT with TLS. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init")
    private String admin;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            defaultValue = "${env:SLUICE_TOKEN}",
            description = "The node's security.token. Default: the environment's SLUICE_TOKEN.")
    private @Nullable String token;

    @Option(names = "--json", description = "The node's answer as it is, for machines.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
        var body = ask();
        var status = BsonDocument.parse(body);
        spec.commandLine().getOut().print(json ? body + "\n" : StatusTable.of(status));
        spec.commandLine().getOut().flush();
        return status.getString("status").getValue().equals("unhealthy") ? ExitCode.FAILED : ExitCode.DONE;
    }

    private String ask() throws InterruptedException {
        var root = admin.contains("://") ? admin : "http://" + admin;
        var request =
                HttpRequest.newBuilder(URI.create(root + "/admin/v1/status")).timeout(Duration.ofSeconds(10));
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
