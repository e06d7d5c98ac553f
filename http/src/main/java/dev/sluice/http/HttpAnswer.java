package dev.sluice.http;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.DeliveryReply;
import dev.sluice.deliver.Reason;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** What a status means. Only the gateway's own word counts against an event: all it does not say is later. */
final class HttpAnswer {
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int CONFLICT = 409;
    private static final int TOO_LARGE = 413;
    private static final int UNPROCESSABLE = 422;
    private static final int INTERNAL_ERROR = 500;
    private static final int BAD_GATEWAY = 502;
    private static final int UNAVAILABLE = 503;
    private static final int GATEWAY_TIMEOUT = 504;
    private static final int NOTHING = 0;

    private HttpAnswer() {}

    static BatchOutcome read(HttpReply answer, int events) {
        return switch (answer.status()) {
            case OK -> acknowledgement(answer, events);
            case BAD_REQUEST, TOO_LARGE, UNPROCESSABLE -> new BatchOutcome.Refused(said(answer));
            case CONFLICT -> new BatchOutcome.Fenced(said(answer));
            default ->
                new BatchOutcome.RetryLater(
                        said(answer), retryAfter(answer.retryAfter()), isBreakdown(answer.status()));
        };
    }

    /** What a handler that threw answers, and not a gateway that is busy or what stands before one that is away. */
    private static boolean isBreakdown(int status) {
        return switch (status) {
            case BAD_GATEWAY, UNAVAILABLE, GATEWAY_TIMEOUT -> false;
            default -> status >= INTERNAL_ERROR;
        };
    }

    /** An empty body accepts the whole batch. Any other body must account for every event: a proxy's page does not. */
    private static BatchOutcome acknowledgement(HttpReply answer, int events) {
        return switch (firstCharacter(answer.body())) {
            case NOTHING -> BatchOutcome.DELIVERED;
            case '{' -> DeliveryReply.read(answer.body(), events);
            default ->
                new BatchOutcome.RetryLater(
                        "the body is no acknowledgement; does something else answer at this address?"
                                + " Expected {\"accepted\":n} or an empty body. " + said(answer));
        };
    }

    private static int firstCharacter(byte[] body) {
        int at = 0;
        while (at < body.length && body[at] <= ' ' && body[at] >= 0) {
            at++;
        }
        return at < body.length ? body[at] : NOTHING;
    }

    private static String said(HttpReply answer) {
        String text = Reason.brief(new String(answer.body(), StandardCharsets.UTF_8));
        return "HTTP " + answer.status() + (text.isEmpty() ? "" : ": " + text);
    }

    /** Seconds, or a date. */
    private static Optional<Duration> retryAfter(Optional<String> header) {
        try {
            return header.map(String::strip)
                    .flatMap(text -> text.matches("\\d{1,18}")
                            ? DeliveryReply.pause(Long.parseLong(text))
                            : DeliveryReply.pause(Duration.between(
                                            Instant.now(),
                                            ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                                                    .toInstant())
                                    .toSeconds()));
        } catch (DateTimeException neither) {
            return Optional.empty();
        }
    }
}
