package dev.sluice.worker.deadletter;

import java.time.Instant;
import java.util.List;

/**
 * A part of the list of dead letters, the oldest first.
 *
 * @param next the position to continue behind; 0 when this is the last page
 */
public record LetterPage(List<Summary> letters, long next) {
    public LetterPage {
        letters = List.copyOf(letters);
    }

    /** A dead letter without its body and headers. */
    public record Summary(
            LetterId id,
            String stream,
            String subject,
            String partition,
            String worker,
            String reason,
            int attempts,
            Instant lastFailure,
            Instant storedAt,
            long bytes) {
        static Summary of(StoredLetter stored) {
            DeadLetter letter = stored.letter();
            return new Summary(
                    letter.id(),
                    letter.stream(),
                    letter.subject(),
                    letter.partition(),
                    letter.worker(),
                    letter.reason(),
                    letter.attempts(),
                    letter.lastFailure(),
                    stored.storedAt(),
                    letter.body().length);
        }
    }
}
