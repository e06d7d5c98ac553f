package dev.sluice.http;

import dev.sluice.model.InvalidInputException;
import io.helidon.webserver.http.ServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Reads request bodies within bounds: at most 4 MiB and a time limit for each body, and 64 MiB for all bodies together that
 * are being read or worked on. A request beyond that is rejected and may be sent again later.
 */
public final class RequestBody {
    public static final int LONGEST = 4 << 20;
    private static final int ALL = 64 << 20;
    private static final int PIECE = 64 << 10;

    private final Semaphore room = new Semaphore(ALL / PIECE);
    private final long timeout;

    /** @param timeout for reading one body */
    public RequestBody(Duration timeout) {
        this.timeout = timeout.toNanos();
    }

    /** The body is larger than {@link #LONGEST}. */
    public static final class TooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private TooLargeException() {
            super("a body has at most " + LONGEST + " bytes: send several requests");
        }
    }

    /** The bodies of other requests leave no room for this one now. */
    public static final class NoRoomException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private NoRoomException() {
            super("the requests in progress leave no room for this body: try again");
        }
    }

    /** The body did not arrive within the time limit. */
    public static final class TooSlowException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private TooSlowException() {
            super("the body did not arrive in time");
        }
    }

    /** Work on the text of a body. */
    public interface Work {
        void with(String text);
    }

    /** Reads the body and passes it to the work; the body counts against the bounds until the work returns. */
    public void read(ServerRequest request, Work work) {
        if (request.headers().contentLength().orElse(0) > LONGEST) {
            throw new TooLargeException();
        }
        Taken taken = new Taken();
        try {
            work.with(text(taken.all(request)));
        } finally {
            taken.giveBack();
        }
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new InvalidInputException("the body is not UTF-8");
        }
    }

    private final class Taken {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int pieces;

        private byte[] all(ServerRequest request) {
            if (!request.content().hasEntity()) {
                return bytes.toByteArray();
            }
            long begun = System.nanoTime();
            byte[] piece = new byte[PIECE];
            try (InputStream in = request.content().inputStream()) {
                for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                    take(piece, n);
                    if (System.nanoTime() - begun > timeout) {
                        throw new TooSlowException();
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes.toByteArray();
        }

        private void take(byte[] piece, int length) {
            if (bytes.size() + length > LONGEST) {
                throw new TooLargeException();
            }
            while (bytes.size() + length > pieces * PIECE) {
                if (!room.tryAcquire()) {
                    throw new NoRoomException();
                }
                pieces++;
            }
            bytes.write(piece, 0, length);
        }

        private void giveBack() {
            room.release(pieces);
            pieces = 0;
        }
    }
}
