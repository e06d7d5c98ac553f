package dev.sluice.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * The main class of a server for end users under test. Commands: {@code port}, {@code connections}, {@code heap}, and
 * those of the {@link EndUserServer}.
 */
public final class GatewayProcess {
    static final String BARE = "bare";
    static final String SLUICE = "sluice";

    private final EndUserServer server;

    private GatewayProcess(EndUserServer server) {
        this.server = server;
    }

    /** Arguments: bare or sluice, the address of the Streamer, the number of clients, the ping interval in milliseconds. */
    public static void main(String[] args) throws Exception {
        int clients = Integer.parseInt(args[2]);
        Duration ping = Duration.ofMillis(Long.parseLong(args[3]));
        CommandLoop.run(() -> {
            EndUserServer server = args[0].equals(BARE)
                    ? new BareEndUserServer(clients, ping)
                    : new SluiceGateway(args[1], clients, ping);
            return new GatewayProcess(server)::answer;
        });
    }

    private String answer(String[] words) {
        return switch (words[0]) {
            case "port" -> String.valueOf(server.port());
            case "connections" -> String.valueOf(server.connections());
            case "heap" -> String.valueOf(liveHeap());
            default -> server.answer(words);
        };
    }

    /** Bytes in use after a garbage collection. The second one takes what the first made unreachable. */
    private static long liveHeap() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
