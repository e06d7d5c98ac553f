package dev.sluice.server.coordinate;

import dev.sluice.model.FencingToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** {@link FencedCounters} for other processes: one line asks, one answers; see {@link CountersClient}. */
final class CountersServer implements AutoCloseable {
    private final FencedCounters counters;
    private final ServerSocket socket;

    CountersServer(FencedCounters counters) throws IOException {
        this.counters = counters;
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("counters-accept").start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                client.setTcpNoDelay(true);
                Thread.ofVirtual().name("counters-serve").start(() -> serve(client));
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void serve(Socket client) {
        try (client;
                var lines =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
                OutputStream answers = client.getOutputStream()) {
            String process = lines.readLine();
            String line = lines.readLine();
            while (process != null && line != null) {
                answers.write(answer(process, line.split(" ")) ? "ok\n".getBytes(StandardCharsets.US_ASCII) : STALE);
                line = lines.readLine();
            }
        } catch (IOException killed) {
            // a member that was killed says no goodbye
        }
    }

    private static final byte[] STALE = "stale\n".getBytes(StandardCharsets.US_ASCII);

    /** {@code verb partition generation epoch session number} */
    private boolean answer(String process, String[] words) {
        int partition = Integer.parseInt(words[1]);
        FencingToken token = new FencingToken(Long.parseLong(words[2]), Long.parseLong(words[3]));
        int session = Integer.parseInt(words[4]);
        long number = Long.parseLong(words[5]);
        long now = System.nanoTime();
        return switch (words[0]) {
            case "take" -> counters.take(now, partition, token, process, session, number);
            case "write" -> counters.write(now, partition, token, process, session, number);
            case "give" -> {
                counters.give(now, partition, token, process, session);
                yield true;
            }
            default -> throw new IllegalArgumentException("no such verb: " + words[0]);
        };
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
