package dev.sluice.worker.chaos;

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

/** Serves a {@link HandlingLedger} to worker processes: a line per handling, a line as the answer; see {@link LedgerClient}. */
final class LedgerServer implements AutoCloseable {
    private static final byte[] ACCEPTED = "ok\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] STALE = "stale\n".getBytes(StandardCharsets.US_ASCII);

    private final HandlingLedger ledger;
    private final DraftLeader draft;
    private final ServerSocket socket;

    LedgerServer(HandlingLedger ledger, DraftLeader draft) throws IOException {
        this.ledger = ledger;
        this.draft = draft;
        this.socket = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("ledger-accept").start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                client.setTcpNoDelay(true);
                Thread.ofVirtual().name("ledger-serve").start(() -> serve(client));
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
                answers.write(answer(process, line.split(" ")));
                line = lines.readLine();
            }
        } catch (IOException killed) {
            // A worker that was killed ends its connection this way.
        }
    }

    /** {@code handled partition number sequence generation epoch attempt}, or of the draft's worker {@code assigned}. */
    private byte[] answer(String process, String[] words) {
        if (words[0].equals("assigned")) {
            return (draft.assigned(process) + '\n').getBytes(StandardCharsets.US_ASCII);
        }
        FencingToken token = new FencingToken(Long.parseLong(words[4]), Long.parseLong(words[5]));
        boolean accepted = ledger.handled(
                System.nanoTime(),
                process,
                Integer.parseInt(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                token,
                Integer.parseInt(words[6]));
        return accepted ? ACCEPTED : STALE;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
