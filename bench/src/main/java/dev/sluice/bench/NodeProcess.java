package dev.sluice.bench;

import dev.sluice.net.ListenAddress;
import dev.sluice.net.Listening;
import dev.sluice.net.Protection;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Puller and Streamer in one process, as {@code sluice run} starts them, on defaults; so that their CPU, heap and garbage are
 * their own. Talked to over HTTP only. Its gateways do not beat, so they have long leases.
 */
final class NodeProcess implements AutoCloseable {
    private static final String MAIN = "dev.sluice.server.cli.Sluice";
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** More than a benchmark registers. */
    private static final int SUBSCRIPTIONS = 2_000_000;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Process process;
    private final String address;
    private final int controlPort = freePort();

    NodeProcess(Path directory, String mongo) throws IOException, InterruptedException {
        int http = freePort();
        address = "http://127.0.0.1:" + http;
        Path config = directory.resolve("sluice.yaml");
        Files.writeString(config, """
                storage:
                  backends:
                    - {name: bench, connection: '%s', database: %s}
                puller:
                  grpc: {address: ':%d'}
                  health: {port: %d}
                  metrics: {port: 0}
                  backends: [{name: bench}]
                  buffer: {path: '%s', min_free: 1MiB}
                routing:
                  grpc: {address: ':%d'}
                  subscriptions: {per_gateway: %d, total: %d}
                gateway: {lease: 1h}
                """.formatted(
                        mongo,
                        LoadedMongo.DATABASE,
                        freePort(),
                        http,
                        directory.resolve("data"),
                        controlPort,
                        SUBSCRIPTIONS,
                        SUBSCRIPTIONS));
        File log = directory.resolve("node.log").toFile();
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // As much from the beginning: virtual machines give new memory slowly, and that is not what is
                        // measured.
                        "-Xms1g",
                        "-Xmx1g",
                        "-XX:+AlwaysPreTouch",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MAIN,
                        "run",
                        "--config",
                        config.toString(),
                        "--role",
                        "puller,streamer")
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            awaitReady(log);
        } catch (Throwable failed) {
            close();
            throw failed;
        }
    }

    private void awaitReady(File log) throws IOException, InterruptedException {
        long patience = System.nanoTime() + PATIENCE.toNanos();
        while (!isReady()) {
            if (!process.isAlive() || System.nanoTime() > patience) {
                process.destroyForcibly();
                throw new IllegalStateException(
                        "The node of the benchmark did not start:\n" + Files.readString(log.toPath()));
            }
            Thread.sleep(50);
        }
    }

    private boolean isReady() throws InterruptedException {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(address + "/readyz")).build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Sends JSON to the control plane. */
    void send(String method, String path, String json) throws IOException, InterruptedException {
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(URI.create(address + path))
                        .method(method, HttpRequest.BodyPublishers.ofString(json))
                        .header("Content-Type", "application/json")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IllegalStateException(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
        }
    }

    /** Where subscriptions are registered by gRPC. */
    int controlPort() {
        return controlPort;
    }

    /** CPU time of the whole process so far. */
    long cpuNanos() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = Listening.open("a benchmark", ListenAddress.loopback(0), Protection.NONE)) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        client.close();
    }
}
