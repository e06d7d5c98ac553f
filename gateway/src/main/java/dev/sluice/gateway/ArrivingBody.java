package dev.sluice.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * The body of a request, read as it comes and counted as it is here: whatever it says of its length, who sends slowly or
 * nothing keeps nobody else out.
 */
final class ArrivingBody {
    private static final int PIECE = 64 << 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Intake.Arrival arrival;
    private final int longest;

    ArrivingBody(Intake.Arrival arrival, int longest) {
        this.arrival = arrival;
        this.longest = longest;
    }

    /** More than anyone needs. */
    static final class TooLargeException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** The whole text; empty when there is no room for it now, or it does not come in time. */
    Optional<String> read(InputStream from) throws IOException, TooLargeException {
        long begun = System.nanoTime();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] piece = new byte[PIECE];
        for (int n = from.read(piece); n >= 0; n = from.read(piece)) {
            if (bytes.size() + n > longest) {
                throw new TooLargeException();
            }
            if (!arrival.hasRoomFor(bytes.size() + n) || System.nanoTime() - begun > PATIENCE.toNanos()) {
                return Optional.empty();
            }
            bytes.write(piece, 0, n);
        }
        return Optional.of(bytes.toString(StandardCharsets.UTF_8));
    }
}
