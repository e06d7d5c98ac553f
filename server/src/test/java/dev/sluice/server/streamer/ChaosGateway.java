package dev.sluice.server.streamer;

import dev.sluice.testkit.ledger.LedgerFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * A process of the chaos test: one gateway that speaks the published protocols without any code of ours on its side. It
 * registers by itself, and beats.
 */
public final class ChaosGateway {
    private static final Duration BEAT = Duration.ofSeconds(2);

    private ChaosGateway() {}

    /** Arguments: id, protocol, port or server to receive by, endpoint to register, control plane, ledger file, seed. */
    public static void main(String[] args) throws Exception {
        String id = args[0];
        Path complaints = Path.of(args[5] + ".complaints");
        ChaosReceiver receiver = new ChaosReceiver(
                LedgerFile.append(Path.of(args[5])), line -> append(complaints, line), Long.parseLong(args[6]));
        switch (args[1]) {
            case "http" -> HttpChaosGateway.start(Integer.parseInt(args[2]), receiver);
            case "grpc" -> GrpcChaosGateway.start(Integer.parseInt(args[2]), receiver);
            case "nats" -> NatsChaosGateway.start(args[2], id, receiver);
            default -> throw new IllegalArgumentException(args[1]);
        }
        System.out.println("gateway started");
        beat(
                args[4] + "/internal/v1/gateways/" + id,
                "{\"endpoint\":\"%s\",\"protocol\":\"%s\"}".formatted(args[3], args[1]));
    }

    private static void append(Path file, String line) {
        try {
            Files.writeString(file, line + '\n', StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Registers until it is known, then beats until it is not. */
    private static void beat(String gateway, String body) throws InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            boolean known = false;
            while (true) {
                try {
                    String uri = known ? gateway + "/heartbeat" : gateway;
                    HttpRequest request = HttpRequest.newBuilder(URI.create(uri))
                            .PUT(HttpRequest.BodyPublishers.ofString(known ? "{}" : body))
                            .header("Content-Type", "application/json")
                            .timeout(BEAT)
                            .build();
                    known = client.send(request, HttpResponse.BodyHandlers.discarding())
                                    .statusCode()
                            < 300;
                } catch (IOException away) {
                    known = false;
                }
                Thread.sleep(known ? BEAT : BEAT.dividedBy(10));
            }
        }
    }
}
