package dev.sluice.grpc;

import dev.sluice.feed.FeedOutOfRangeException;
import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogChangedException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Position;
import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** A call to a Puller that ended, or an answer that cannot be read. */
final class PullerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Status.Code code;
    private final @Nullable String oldest;
    private final boolean changed;

    private PullerFailure(
            String message, Status.Code code, @Nullable String oldest, boolean changed, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.oldest = oldest;
        this.changed = changed;
    }

    static PullerFailure of(String address, Status status, @Nullable Metadata trailers) {
        Metadata told = trailers == null ? new Metadata() : trailers;
        String reason = status.getCode() == Status.Code.UNIMPLEMENTED
                ? tooOld()
                : "answered " + status.getCode() + ": " + status.getDescription();
        return new PullerFailure(
                "the Puller at " + address + " " + reason,
                status.getCode(),
                told.get(ProgressHeaders.OLDEST_POSITION),
                told.containsKey(ProgressHeaders.LOG_IDENTITY),
                status.getCause());
    }

    static PullerFailure silent(String address, long millis) {
        return new PullerFailure(
                "the Puller at " + address + " has been silent for " + millis + " ms",
                Status.Code.UNAVAILABLE,
                null,
                false,
                null);
    }

    /** Of a Puller that ignores the fields it does not know. */
    static PullerFailure ofOldVersion(String address) {
        return new PullerFailure(
                "the Puller at " + address + " " + tooOld(), Status.Code.UNIMPLEMENTED, null, false, null);
    }

    static PullerFailure ofOtherLog(String address, String log) {
        return new PullerFailure(
                "the Puller at " + address + " sends the log '" + log + "' of another identity",
                Status.Code.FAILED_PRECONDITION,
                null,
                true,
                null);
    }

    private static String tooOld() {
        return "is of version 0.1, which cannot be read by positions: upgrade the Puller before its Streamers";
    }

    static PullerFailure unreadable(String address, InvalidInputException cause) {
        return new PullerFailure(
                "the Puller at " + address + " sent what this version cannot read: " + cause.getMessage(),
                Status.Code.INTERNAL,
                null,
                false,
                cause);
    }

    boolean logChanged() {
        return changed;
    }

    /** Whether another Puller may do better. A refusal of one request, or for want of room, sends nobody elsewhere. */
    boolean concernsPuller() {
        return switch (code) {
            case OUT_OF_RANGE, FAILED_PRECONDITION, NOT_FOUND, INVALID_ARGUMENT, RESOURCE_EXHAUSTED -> false;
            default -> !Thread.currentThread().isInterrupted();
        };
    }

    RuntimeException toFeedException() {
        if (changed) {
            return new LogChangedException(String.valueOf(getMessage()));
        }
        if (code == Status.Code.OUT_OF_RANGE && oldest != null) {
            try {
                return new FeedOutOfRangeException(String.valueOf(getMessage()), Position.parse(oldest));
            } catch (InvalidInputException unreadable) {
                return new FeedUnavailableException(
                        getMessage() + " (the oldest position cannot be read: " + unreadable.getMessage() + ")",
                        unreadable);
            }
        }
        return new FeedUnavailableException(String.valueOf(getMessage()), this);
    }
}
