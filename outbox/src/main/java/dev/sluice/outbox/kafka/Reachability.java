package dev.sluice.outbox.kafka;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.Optional;
import org.apache.kafka.common.errors.TimeoutException;

/** Finds the cause when no broker answers: Kafka's clients report only that they waited in vain. */
final class Reachability {
    private static final int CONNECT_MS = 1_000;

    private Reachability() {}

    /** What a failure is by, in one line. */
    static String reason(Exception failed, String bootstrapServers) {
        return failed instanceof TimeoutException
                ? whyUnreachable(bootstrapServers).orElseGet(() -> KafkaFailure.reason(failed))
                : KafkaFailure.reason(failed);
    }

    /** Empty when a connection can be opened to some broker. */
    static Optional<String> whyUnreachable(String bootstrapServers) {
        String why = "";
        for (String server : bootstrapServers.split("\\s*,\\s*")) {
            Optional<String> failure = connect(server);
            if (failure.isEmpty()) {
                return Optional.empty();
            }
            why = failure.get();
        }
        return Optional.of("no broker of " + bootstrapServers + " can be reached: " + why);
    }

    private static Optional<String> connect(String server) {
        int colon = server.lastIndexOf(':');
        String host = server.substring(0, Math.max(colon, 0)).replaceAll("^.*//|[\\[\\]]", "");
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, Integer.parseInt(server.substring(colon + 1))), CONNECT_MS);
            return Optional.empty();
        } catch (UnknownHostException unknown) {
            return Optional.of("unknown host " + host);
        } catch (IOException | IllegalArgumentException failed) {
            return Optional.of(failed.getMessage() == null ? failed.toString() : failed.getMessage());
        }
    }
}
