package dev.sluice.worker.deadletter;

import io.nats.client.impl.Headers;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * A dead letter as a message: the body as it is, the message's own headers, and ours. Headers of the message that would act
 * on JetStream, or look like ours, are kept under {@value #KEPT} and their name.
 */
enum LetterForm {
    /** Everything. */
    FULL,
    /** The reason is cut. */
    SHORT,
    /** Of ours only the subject and the stream. */
    ESSENTIAL,
    /** None of ours but the expectation that makes a repeat a refusal. */
    BARE,
    /** Nothing of ours: as large as the message itself. A repeat is not refused: look first. */
    UNGUARDED;

    static final String KEPT = "Sluice-Original-";
    static final String EXPECTED = "Nats-Expected-Last-Subject-Sequence";

    private static final String STREAM = "Sluice-Stream";
    private static final String SUBJECT = "Sluice-Subject";
    private static final String SEQUENCE = "Sluice-Sequence";
    private static final String PARTITION = "Sluice-Partition";
    private static final String WORKER = "Sluice-Worker";
    private static final String REASON = "Sluice-Reason";
    private static final String ATTEMPTS = "Sluice-Attempts";
    private static final String FIRST_FAILURE = "Sluice-First-Failure";
    private static final String LAST_FAILURE = "Sluice-Last-Failure";
    private static final int SHORT_REASON = 120;
    private static final int LONGEST_REASON = 16_000;

    Headers headers(DeadLetter letter) {
        Headers headers = new Headers();
        letter.headers().forEach((name, values) -> keep(headers, name, values));
        if (this == UNGUARDED) {
            return headers;
        }
        headers.put(EXPECTED, "0");
        if (this != BARE) {
            headers.put(STREAM, letter.stream()).put(SUBJECT, HeaderValue.encode(letter.subject()));
        }
        if (this == FULL || this == SHORT) {
            String reason = letter.reason();
            int longest = this == SHORT ? SHORT_REASON : LONGEST_REASON;
            headers.put(SEQUENCE, Long.toString(letter.id().sequence()))
                    .put(PARTITION, HeaderValue.encode(letter.partition()))
                    .put(WORKER, HeaderValue.encode(letter.worker()))
                    .put(REASON, HeaderValue.encode(reason.substring(0, Math.min(longest, reason.length()))))
                    .put(ATTEMPTS, Integer.toString(letter.attempts()))
                    .put(FIRST_FAILURE, letter.firstFailure().toString())
                    .put(LAST_FAILURE, letter.lastFailure().toString());
        }
        return headers;
    }

    private void keep(Headers headers, String name, List<String> values) {
        boolean asItIs = !isReserved(name)
                && HeaderValue.encodeName(name).equals(name)
                && values.stream().allMatch(value -> HeaderValue.encode(value).equals(value));
        if (asItIs) {
            headers.put(name, values);
        } else if (this != UNGUARDED) {
            headers.put(
                    KEPT + HeaderValue.encodeName(name),
                    values.stream().map(HeaderValue::encode).toList());
        }
    }

    /** Whether a header acts on JetStream or is one of ours. */
    static boolean isReserved(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.startsWith("nats-") || lower.startsWith("sluice-");
    }

    /** Reads a letter back; headers that were left out have neutral values. */
    static DeadLetter read(LetterId id, Map<String, List<String>> stored, byte[] body) {
        Function<String, String> first = name ->
                HeaderValue.decode(stored.getOrDefault(name, List.of("")).getFirst());
        Map<String, List<String>> headers = new HashMap<>();
        stored.forEach((name, values) -> {
            if (name.startsWith(KEPT)) {
                headers.put(
                        HeaderValue.decode(name.substring(KEPT.length())),
                        values.stream().map(HeaderValue::decode).toList());
            } else if (!isReserved(name)) {
                headers.put(name, new ArrayList<>(values));
            }
        });
        return new DeadLetter(
                id,
                first.apply(STREAM),
                first.apply(SUBJECT),
                first.apply(PARTITION),
                first.apply(WORKER),
                first.apply(REASON),
                number(first.apply(ATTEMPTS)),
                time(first.apply(FIRST_FAILURE)),
                time(first.apply(LAST_FAILURE)),
                headers,
                body);
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException absent) {
            return 0;
        }
    }

    private static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException absent) {
            return Instant.EPOCH;
        }
    }
}
