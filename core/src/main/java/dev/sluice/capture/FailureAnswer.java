package dev.sluice.capture;

import dev.sluice.capture.CaptureSettings.OnGap;
import dev.sluice.checkpoint.Checkpoint;
import org.jspecify.annotations.Nullable;

/** What to do about a failure of the source: decided here, carried out by the {@link CaptureLoop}. */
sealed interface FailureAnswer {
    /** Open again from the last position, as soon as the pacing allows. */
    record TryAgain(CaptureStatus status) implements FailureAnswer {}

    /** Open again from the last position, at once and as often as it takes: the source itself waits. */
    record StandBy(String sentence) implements FailureAnswer {}

    /** Open from this time and let the log drop what it knows. */
    record Rescan(StartPoint.At from, String reason) implements FailureAnswer {}

    /** Changes are missing: open from there, and tell every consumer. */
    record Resync(String reason, StartPoint from) implements FailureAnswer {}

    /** The process stops: there is nothing to report. */
    record Leave() implements FailureAnswer {}

    /** Do nothing more; the sentence says who must act. */
    record Stop(CaptureStatus status, String sentence) implements FailureAnswer {}

    /**
     * @param attempted what the failed stream was opened with
     * @param position where the log is; null when it knows no position yet
     * @param filterChanged whether the filter is, or may be, another than the position was read with
     * @param started whether the log has a history that could be torn
     */
    static FailureAnswer to(
            SourceFailure failure,
            StartPoint attempted,
            @Nullable Checkpoint position,
            boolean filterChanged,
            boolean started,
            OnGap onGap) {
        return switch (failure) {
            case SourceFailure.Retryable r -> new TryAgain(CaptureStatus.RETRYING);
            case SourceFailure.PositionLost p -> new TryAgain(CaptureStatus.RETRYING);
            case SourceFailure.ReadElsewhere r -> new StandBy(r.detail());
            case SourceFailure.Misconfigured m -> new TryAgain(CaptureStatus.MISCONFIGURED);
            case SourceFailure.Stopped s -> new Leave();
            case SourceFailure.TokenUnknown t -> toUnknown(t, attempted, position, filterChanged, onGap);
            case SourceFailure.BadToken b ->
                new Stop(
                        CaptureStatus.MISCONFIGURED,
                        "the source does not accept the saved resume token as one of its own: see that the backend still"
                                + " points to the same deployment, or remove its event log to start anew ("
                                + b.detail() + ")");
            case SourceFailure.HistoryLost h -> {
                boolean racedWithTheOplog = !started && attempted instanceof StartPoint.At;
                yield racedWithTheOplog ? new TryAgain(CaptureStatus.RETRYING) : toLoss(h.detail(), now(), onGap);
            }
            case SourceFailure.TooLarge t -> toLoss(t.detail(), now(), onGap);
        };
    }

    /**
     * A changed filter may hide the token's event: its time is read again. With the same filter the event must be there, unless
     * this is another deployment or a restored copy, whose missing changes are unknown.
     */
    private static FailureAnswer toUnknown(
            SourceFailure.TokenUnknown failure,
            StartPoint attempted,
            @Nullable Checkpoint position,
            boolean filterChanged,
            OnGap onGap) {
        if (!(attempted instanceof StartPoint.After after)) {
            return new TryAgain(CaptureStatus.RETRYING);
        }
        Checkpoint known = position == null ? after.checkpoint() : position;
        return filterChanged
                ? new Rescan(new StartPoint.At(known.time()), failure.detail())
                : toLoss(
                        "the source does not know the saved token although the filter is the same: it is another"
                                + " deployment, or was restored from a copy (" + failure.detail() + ")",
                        now(),
                        onGap);
    }

    /** Whether the source failed, as opposed to an orderly wait or a stop. */
    default boolean isFailure() {
        return this instanceof TryAgain || this instanceof Rescan || this instanceof Resync;
    }

    /**
     * To changes that are missing from the log for good.
     *
     * @param reason what is known about it
     * @param from where the source is whole again
     */
    static FailureAnswer toLoss(String reason, StartPoint from, OnGap onGap) {
        return switch (onGap) {
            case RESYNC -> new Resync(reason, from);
            case STOP ->
                new Stop(
                        CaptureStatus.STOPPED_BY_GAP,
                        "changes are missing, and on_gap is stop: rebuild what consumers keep, then set on_gap to resync"
                                + " and restart (" + reason + ")");
        };
    }

    private static StartPoint now() {
        return new StartPoint.Now();
    }
}
