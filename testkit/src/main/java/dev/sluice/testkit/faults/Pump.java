package dev.sluice.testkit.faults;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * One direction of one connection: a reader fills a bounded queue, a writer empties it as the {@link Link} allows. Two
 * threads, because a delayed byte must not keep the next ones from being read: that would be a throttle.
 */
final class Pump {

    private static final int PIECE = 16 * 1024;
    private static final int QUEUE = 64;

    private final Link link;
    private final Connection connection;
    private final Socket from;
    private final Socket to;
    private final BlockingQueue<Piece> queue = new ArrayBlockingQueue<>(QUEUE);
    private volatile boolean lostBytes;
    private volatile boolean ended;

    Pump(Link link, Connection connection, Socket from, Socket to) {
        this.link = link;
        this.connection = connection;
        this.from = from;
        this.to = to;
    }

    /** Reads until the sender ends or the connection is closed. */
    void read() throws InterruptedException {
        byte[] buffer = new byte[PIECE];
        Piece last = Piece.end();
        try {
            InputStream in = from.getInputStream();
            while (true) {
                link.awaitReadable();
                int n = in.read(buffer);
                if (n < 0) {
                    break;
                }
                queue.put(Piece.of(Arrays.copyOf(buffer, n)));
            }
        } catch (IOException reset) {
            last = Piece.reset(); // the receiver hears of it in its turn, behind what was sent before
        }
        queue.put(last);
    }

    /** Writes until the end has been passed on. */
    void write() throws InterruptedException {
        while (true) {
            Piece piece = queue.take();
            do {
                Link.Verdict verdict = link.judge(piece, this);
                if (verdict.action() != Link.Action.SWALLOW && !pass(piece, verdict.bytes())) {
                    return;
                }
                if (verdict.action() == Link.Action.FORWARD_THEN_CUT) {
                    connection.cutAll();
                    return;
                }
                piece.skip(verdict.bytes());
            } while (piece.remaining() > 0);
        }
    }

    /** False when there is nothing more to pass. */
    private boolean pass(Piece piece, int bytes) {
        try {
            switch (piece.kind()) {
                case RESET -> connection.abort();
                case END -> {
                    end();
                    connection.endOfOne();
                }
                case BYTES -> {
                    if (!ended) {
                        piece.write(to.getOutputStream(), bytes);
                        link.count(bytes);
                    }
                }
            }
        } catch (IOException receiverGone) {
            boolean onlyHalfClosed = ended && piece.kind() == Piece.Kind.BYTES;
            if (!onlyHalfClosed) {
                connection.abort();
            }
        }
        return piece.kind() == Piece.Kind.BYTES && !connection.isClosed();
    }

    /** Tells the receiver that nothing more comes; what the sender still sends is read and dropped. */
    void end() throws IOException {
        if (!ended && !connection.isClosed()) {
            ended = true;
            to.shutdownOutput();
        }
    }

    void losesBytes() {
        lostBytes = true;
    }

    boolean hasLostBytes() {
        return lostBytes;
    }
}
