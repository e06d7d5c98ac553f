package dev.sluice.server.puller;

import dev.sluice.devmongo.DevMongo;
import dev.sluice.server.config.ConfigFile;
import dev.sluice.server.config.Reading;
import dev.sluice.server.config.SluiceConfig;
import dev.sluice.server.node.Node;
import dev.sluice.server.node.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** A configuration for tests, and small things around a running Puller. */
final class PullerSetup {
    static final Duration SOON = Duration.ofSeconds(60);

    private final Map<String, String> backends = new LinkedHashMap<>();
    private final Path data;
    private String backendOptions = "";
    private String more = "";
    private String pullerOptions = "";
    private int grpc;
    private int admin;

    PullerSetup(Path data) {
        this.data = data;
    }

    PullerSetup backend(String name, DevMongo mongo) {
        // Drivers wait ten seconds for a server that is away; tests need not.
        backends.put(name, mongo.connectionString() + "&serverSelectionTimeoutMS=1000&heartbeatFrequencyMS=500");
        return this;
    }

    PullerSetup backend(String name, String connection) {
        backends.put(name, connection);
        return this;
    }

    PullerSetup backendOptions(String yaml) {
        backendOptions = yaml;
        return this;
    }

    /** Lines below {@code puller}. */
    PullerSetup puller(String yaml) {
        pullerOptions += yaml.indent(2);
        return this;
    }

    /** Further sections. */
    PullerSetup sections(String yaml) {
        more += yaml;
        return this;
    }

    PullerSetup ports(int grpc, int admin) {
        this.grpc = grpc;
        this.admin = admin;
        return this;
    }

    String yaml() {
        var text = new StringBuilder("storage:\n  backends:\n");
        backends.forEach((name, connection) ->
                text.append("    - {name: %s, connection: '%s', database: shop}\n".formatted(name, connection)));
        text.append("puller:\n  grpc: {address: ':%d'}\n  health: {port: %d}\n  metrics: {port: 0}\n"
                .formatted(grpc, admin));
        text.append("  backends:\n");
        backends.keySet()
                .forEach(name -> text.append(
                        "    - {name: %s%s}\n".formatted(name, backendOptions.isEmpty() ? "" : ", " + backendOptions)));
        if (!pullerOptions.contains("buffer:")) {
            text.append("  buffer: {path: '%s', min_free: 1MiB}\n".formatted(data));
        }
        return text.append(pullerOptions.replace("DATA", data.toString()))
                .append(more)
                .toString();
    }

    SluiceConfig config() {
        return switch (ConfigFile.parse(yaml(), Map.of())) {
            case Reading.Accepted accepted -> accepted.config();
            case Reading.Refused refused -> throw new AssertionError(refused.problems() + "\n" + yaml());
        };
    }

    Node start() throws IOException {
        return Node.start(config(), Set.of(Role.PULLER), "test");
    }

    /** Below the range of outgoing connections, so that a restarted process gets it again. */
    static int freePort() throws IOException {
        while (true) {
            var port = ThreadLocalRandom.current().nextInt(10_000, 32_000);
            try (var socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
                return socket.getLocalPort();
            } catch (IOException taken) {
                // another
            }
        }
    }

    static HttpResponse<String> get(int port, String path) {
        try (var client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static void await(String what, BooleanSupplier reached) throws InterruptedException {
        if (!reachedWhileGrowing(reached, () -> 0, SOON)) {
            throw new AssertionError("not within " + SOON + ": " + what);
        }
    }

    /** Waits as long as it takes while this grows; false when it stood still for so long. */
    static boolean reachedWhileGrowing(BooleanSupplier reached, LongSupplier progress, Duration patience)
            throws InterruptedException {
        var highest = Long.MIN_VALUE;
        var since = System.nanoTime();
        while (!reached.getAsBoolean()) {
            var now = progress.getAsLong();
            if (now > highest) {
                highest = now;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > patience.toNanos()) {
                return false;
            }
            Thread.sleep(20);
        }
        return true;
    }
}
