package dev.sluice.capture;

/**
 * Why a change source could not open or go on, told apart by the source's codes and labels, never by its message. Each
 * kind has exactly one answer in the {@link CaptureLoop}.
 */
public sealed interface SourceFailure {
    /** What the source said, for logs; nothing is decided by it. */
    String detail();

    /** The changes after the requested position are gone for good. The only thing called a gap. */
    record HistoryLost(String detail) implements SourceFailure {}

    /** The token is well-formed, but its event is not in this stream (any more): most often the filter changed. */
    record TokenUnknown(String detail) implements SourceFailure {}

    /** The open stream was overtaken; the token may still be good. */
    record PositionLost(String detail) implements SourceFailure {}

    /** The token is damaged or of another kind: a person must look, because guessing would lose changes. */
    record BadToken(String detail) implements SourceFailure {}

    /** One event exceeds what the source can send, and no way around it was found. */
    record TooLarge(String detail) implements SourceFailure {}

    /** The source exists, but can never be watched like this: no replica set, no permission, a wrong name. */
    record Misconfigured(String detail) implements SourceFailure {}

    /** Another process reads it, and only one may: wait for it to stop. Nothing is wrong. */
    record ReadElsewhere(String detail) implements SourceFailure {}

    /** The call was given up because of {@link ChangeSource#stopWaiting}. Nothing is wrong. */
    record Stopped(String detail) implements SourceFailure {}

    /** Away, restarting, electing, or the network between: try again. */
    record Retryable(String detail) implements SourceFailure {}
}
