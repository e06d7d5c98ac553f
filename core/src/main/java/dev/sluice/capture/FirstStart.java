package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.model.ClusterTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where to begin with an empty event log. If the mirror knows this backend, its disk was lost: what consumers may still
 * ask for is read again, as far as the source has it and it is worth keeping, and the mirrored position is never
 * skipped. Otherwise the setting decides.
 */
final class FirstStart {
    private FirstStart() {}

    /** Null when the setting is not to begin. */
    static @Nullable StartPoint choose(
            ChangeSource source, CaptureSettings settings, Optional<Checkpoint> mirrored, Instant now)
            throws SourceException {
        if (mirrored.isPresent()) {
            return refill(source, settings.retention(), mirrored.get(), now);
        }
        return switch (settings.start()) {
            case NOW -> new StartPoint.Now();
            case EARLIEST -> new StartPoint.At(source.oldest());
            case STOP -> null;
        };
    }

    private static StartPoint refill(ChangeSource source, Duration retention, Checkpoint mirrored, Instant now)
            throws SourceException {
        ClusterTime kept = ClusterTime.of(Math.max(0, now.minus(retention).getEpochSecond()), 0);
        ClusterTime oldest = oldestKnown(source);
        ClusterTime from = kept.compareTo(oldest) > 0 ? kept : oldest;
        boolean meetsTheMirror = oldest.compareTo(ClusterTime.ZERO) > 0 && from.compareTo(mirrored.time()) <= 0;
        return meetsTheMirror ? new StartPoint.At(from) : new StartPoint.After(mirrored);
    }

    /** Zero when the source may not say: then the mirrored position is all there is. */
    static ClusterTime oldestKnown(ChangeSource source) throws SourceException {
        try {
            return source.oldest();
        } catch (SourceException refused) {
            if (refused.failure() instanceof SourceFailure.Misconfigured) {
                return ClusterTime.ZERO;
            }
            throw refused;
        }
    }
}
