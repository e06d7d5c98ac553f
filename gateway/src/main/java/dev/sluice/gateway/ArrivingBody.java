package dev.sluice.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
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
        byte[] bytes = new byte[PIECE];
        int size = 0;
        for (int n = from.read(bytes); n >= 0; n = from.read(bytes, size, bytes.length - size)) {
            size += n;
            if (size > longest) {
                throw new TooLargeException();
            }
            if (!arrival.hasRoomFor(size) || System.nanoTime() - begun > PATIENCE.toNanos()) {
                return Optional.empty();
            }
            if (size == bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(size + 1, (int) Math.min(2L * size, longest + 1L)));
            }
        }
        return Optional.of(new String(bytes, 0, size, StandardCharsets.UTF_8));
    }
}
