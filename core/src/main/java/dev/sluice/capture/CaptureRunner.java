package dev.sluice.capture;

import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Runs one backend's capture loop, and its mirror if it has one, on threads of their own. Each backend has its own
 * runner: one that fails never stops another.
 */
public final class CaptureRunner implements AutoCloseable {
    /** How long a last save may take: without it a lost disk only reads a little more again. */
    private static final Duration LAST_SAVE = Duration.ofSeconds(2);

    private final CaptureState state;
    private final Loop capture;
    private final @Nullable CheckpointMirror checkpoints;
    private final @Nullable Loop mirror;

    private CaptureRunner(Loops loops, CaptureLoop loop, @Nullable CheckpointMirror checkpoints) {
        this.state = loop.state();
        this.checkpoints = checkpoints;
        this.capture =
                loops.loop("capture-" + state.backend()).atEnd(loop::close).start(loop::step);
        this.mirror = checkpoints == null
                ? null
                : loops.loop("mirror-" + state.backend())
                        .atEnd(checkpoints::saveLast)
                        .start(checkpoints::step);
    }

    public static CaptureRunner start(Loops loops, CaptureLoop loop, @Nullable CheckpointMirror checkpoints) {
        return new CaptureRunner(loops, loop, checkpoints);
    }

    public CaptureState state() {
        return state;
    }

    /** Lets capture end, and a mirror that is away; waits for neither. */
    public void askToStop() {
        capture.askToStop();
        if (checkpoints != null && checkpoints.isAway() && mirror != null) {
            mirror.interrupt();
        }
    }

    /** Stops reading, waits until everything read is on disk, then mirrors the last position. */
    @Override
    public void close() {
        askToStop();
        capture.close();
        if (mirror != null) {
            mirror.askToStop();
            if (!mirror.join(LAST_SAVE)) {
                mirror.interrupt();
            }
            mirror.close();
        }
    }
}
