package dev.sluice.capture;

import dev.sluice.capture.CaptureSettings.OnGap;
import dev.sluice.checkpoint.Checkpoint;
import org.jspecify.annotations.Nullable;

/** What to do about a failure of the source: decided here, carried out by the {@link CaptureLoop}. */
sealed interface FailureAnswer {
    /** Open again from the last position, as soon as the pacing allows. */
    record TryAgain(CaptureStatus status) implements FailureAnswer {}

    /** Open from this time and let the log drop what it knows. */
    record Rescan(StartPoint.At from) implements FailureAnswer {}

    /** Open from now, and tell every consumer that changes are missing. */
    record Resync() implements FailureAnswer {}

    /** Do nothing more; the sentence says who must act. */
    record Stop(CaptureStatus status, String sentence) implements FailureAnswer {}

    /**
     * @param attempted what the failed stream was opened with
     * @param position where the log is; null when it holds nothing yet
     */
    static FailureAnswer to(SourceFailure failure, StartPoint attempted, @Nullable Checkpoint position, OnGap onGap) {
        return switch (failure) {
            case SourceFailure.Retryable r -> new TryAgain(CaptureStatus.RETRYING);
            case SourceFailure.PositionLost p -> new TryAgain(CaptureStatus.RETRYING);
            case SourceFailure.Misconfigured m -> new TryAgain(CaptureStatus.MISCONFIGURED);
            case SourceFailure.TokenUnknown t ->
                attempted instanceof StartPoint.After after
                        ? new Rescan(new StartPoint.At(
                                position == null ? after.checkpoint().time() : position.time()))
                        : new TryAgain(CaptureStatus.RETRYING);
            case SourceFailure.BadToken b ->
                new Stop(
                        CaptureStatus.MISCONFIGURED,
                        "the source does not accept the saved resume token as one of its own: see that the backend still"
                                + " points to the same deployment, or remove its event log to start anew ("
                                + b.detail() + ")");
            case SourceFailure.HistoryLost h -> {
                boolean racedWithTheOplog = position == null && attempted instanceof StartPoint.At;
                yield racedWithTheOplog ? new TryAgain(CaptureStatus.RETRYING) : gap(onGap, h);
            }
            case SourceFailure.TooLarge t -> gap(onGap, t);
        };
    }

    private static FailureAnswer gap(OnGap onGap, SourceFailure failure) {
        return switch (onGap) {
            case RESYNC -> new Resync();
            case STOP ->
                new Stop(
                        CaptureStatus.STOPPED_BY_GAP,
                        "the source has lost changes that were not captured yet, and on_gap is stop: rebuild what"
                                + " consumers keep, then set on_gap to resync and restart (" + failure.detail() + ")");
        };
    }
}
