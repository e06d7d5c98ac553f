package dev.sluice.server.coordinate;

import dev.sluice.coordinate.Claim;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A member's connection to {@link CountersServer}. */
final class CountersClient {
    private final BufferedReader answers;
    private final OutputStream lines;

    CountersClient(int port, String process) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        lines = socket.getOutputStream();
        lines.write((process + '\n').getBytes(StandardCharsets.US_ASCII));
    }

    /** False when the write was refused as stale. */
    synchronized boolean ask(String verb, Claim claim, int session, long number) {
        try {
            String line = "%s %d %d %d %d %d\n"
                    .formatted(
                            verb,
                            claim.partition(),
                            claim.token().generation(),
                            claim.token().epoch(),
                            session,
                            number);
            lines.write(line.getBytes(StandardCharsets.US_ASCII));
            return "ok".equals(answers.readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
