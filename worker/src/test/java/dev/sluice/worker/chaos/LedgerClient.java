package dev.sluice.worker.chaos;

import dev.sluice.model.FencingToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The ledger as a worker process sees it. Any number of threads may use it; each call has a connection to itself. */
final class LedgerClient {

    /** The ledger refused a handling: a newer owner of the partition was there before. */
    static final class StaleException extends Exception {
        private static final long serialVersionUID = 1L;

        StaleException(String message) {
            super(message);
        }
    }

    private record Line(Socket socket, BufferedReader answers, OutputStream requests) {}

    private final ConcurrentLinkedQueue<Line> idle = new ConcurrentLinkedQueue<>();
    private final int port;
    private final String process;

    LedgerClient(int port, String process) {
        this.port = port;
        this.process = process;
    }

    void handled(int partition, long number, long sequence, FencingToken token, int attempt)
            throws IOException, StaleException {
        String answer = ask("handled " + partition + ' ' + number + ' ' + sequence + ' ' + token.generation() + ' '
                + token.epoch() + ' ' + attempt);
        if (!answer.equals("ok")) {
            throw new StaleException("partition " + partition + ", message " + number + ", token " + token);
        }
    }

    /** The partitions that the draft's leader gives to this process; see {@link DraftLeader#assigned}. */
    String assigned() throws IOException {
        return ask("assigned");
    }

    private String ask(String request) throws IOException {
        Line line = idle.poll();
        if (line == null) {
            line = connect();
        }
        try {
            line.requests.write((request + '\n').getBytes(StandardCharsets.US_ASCII));
            String answer = line.answers.readLine();
            if (answer == null) {
                throw new IOException("the ledger ended the connection");
            }
            idle.add(line);
            return answer;
        } catch (IOException e) {
            line.socket.close();
            throw e;
        }
    }

    private Line connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        OutputStream requests = socket.getOutputStream();
        requests.write((process + '\n').getBytes(StandardCharsets.US_ASCII));
        return new Line(
                socket,
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)),
                requests);
    }
}
