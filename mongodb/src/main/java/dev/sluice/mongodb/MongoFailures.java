package dev.sluice.mongodb;

import com.mongodb.MongoClientException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConfigurationException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketException;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import java.util.Set;

/** Tells a server's errors apart, by codes and types only: messages change between versions. */
final class MongoFailures {
    static final int TOO_LARGE = 10334;

    /** A field of the event alone exceeds a fragment of {@code $changeStreamSplitLargeEvent}. */
    private static final int CANNOT_SPLIT = 7182500;

    private static final int NO_IMAGE = 47;
    private static final int HISTORY_LOST = 286;
    private static final int TOKEN_UNKNOWN = 280;
    private static final int POSITION_LOST = 136;
    private static final int NOT_A_REPLICA_SET = 40573;
    private static final Set<Integer> BAD_TOKEN =
            Set.of(260, 9, 14, 15, 40647, 40648, 40649, 50793, 50794, 50795, 50796, 50811);
    /** Unauthorized, AuthenticationFailed, UserNotFound; bad names, options and stages. */
    private static final Set<Integer> MISCONFIGURED = Set.of(13, 18, 11, 20, 72, 73, 40324, 40415, 40575);

    private MongoFailures() {}

    /** @param withToken the command carried a token, so that what does not parse is the token */
    static SourceException of(RuntimeException error, boolean withToken) {
        return new SourceException(classify(error, withToken), error);
    }

    static SourceFailure classify(RuntimeException error, boolean withToken) {
        String detail = detail(error);
        boolean refused =
                error instanceof MongoSecurityException && !(error.getCause() instanceof MongoSocketException);
        if (refused || error instanceof MongoConfigurationException || error instanceof IllegalArgumentException) {
            return new SourceFailure.Misconfigured(detail);
        }
        return error instanceof MongoException answered && !(error instanceof MongoClientException)
                ? byCode(answered.getCode(), detail, withToken)
                : new SourceFailure.Retryable(detail);
    }

    private static SourceFailure byCode(int code, String detail, boolean withToken) {
        return switch (code) {
            case HISTORY_LOST -> new SourceFailure.HistoryLost(detail);
            case TOKEN_UNKNOWN -> new SourceFailure.TokenUnknown(detail);
            case POSITION_LOST -> new SourceFailure.PositionLost(detail);
            case NO_IMAGE ->
                new SourceFailure.Misconfigured(
                        "images is required and a change has none: switch changeStreamPreAndPostImages on for that"
                                + " collection, and get past this change with images: when_available (" + detail + ")");
            case TOO_LARGE, CANNOT_SPLIT -> new SourceFailure.TooLarge(detail);
            case NOT_A_REPLICA_SET ->
                new SourceFailure.Misconfigured(
                        "change streams need a replica set or a sharded cluster, and this server is neither (" + detail
                                + ")");
            default -> {
                if (withToken && BAD_TOKEN.contains(code)) {
                    yield new SourceFailure.BadToken(detail);
                }
                yield MISCONFIGURED.contains(code)
                        ? new SourceFailure.Misconfigured(detail)
                        : new SourceFailure.Retryable(detail);
            }
        };
    }

    /** Whether an event, or the reply it would be part of, exceeds what the server can send. */
    static boolean isTooLarge(RuntimeException failed) {
        return failed instanceof MongoException answered
                && (answered.getCode() == TOO_LARGE || answered.getCode() == CANNOT_SPLIT);
    }

    /** Whether the server answered, if only with an error: then the connection still works. */
    static boolean isAnswer(RuntimeException failed) {
        return failed instanceof MongoCommandException;
    }

    /** What lies at the bottom: the driver wraps a refused connection, an unknown host or a bad password several times. */
    static String rootCause(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root instanceof MongoCommandException answered
                ? answer(answered)
                : root.getClass().getSimpleName() + ": " + root.getMessage();
    }

    private static String detail(RuntimeException error) {
        if (error instanceof MongoCommandException answered) {
            return answer(answered);
        }
        if (error instanceof MongoSocketException lost) {
            return lost.getServerAddress() + ": " + rootCause(lost);
        }
        int code = error instanceof MongoException answered ? answered.getCode() : 0;
        return error.getCause() == null
                ? (code > 0 ? "code " + code + ", " : "") + error.getMessage()
                : error.getClass().getSimpleName() + ": " + rootCause(error);
    }

    /** Without the rest of the driver's message, which quotes the whole reply. */
    private static String answer(MongoCommandException answered) {
        return "code " + answered.getErrorCode() + ", " + answered.getErrorCodeName() + ": "
                + answered.getErrorMessage();
    }
}
