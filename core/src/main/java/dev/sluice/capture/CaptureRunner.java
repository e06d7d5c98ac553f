package dev.sluice.capture;

import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import org.jspecify.annotations.Nullable;

/**
 * Runs one backend's capture loop, and its mirror if it has one, on threads of their own. Each backend has its own
 * runner: one that fails never stops another.
 */
public final class CaptureRunner implements AutoCloseable {
    private final CaptureState state;
    private final Loop capture;
    private final @Nullable Loop mirror;

    private CaptureRunner(Loops loops, CaptureLoop loop, @Nullable CheckpointMirror checkpoints) {
        this.state = loop.state();
        this.capture =
                loops.loop("capture-" + state.backend()).atEnd(loop::close).start(loop::step);
        this.mirror = checkpoints == null
                ? null
                : loops.loop("mirror-" + state.backend())
                        .atEnd(checkpoints::save)
                        .start(checkpoints::step);
    }

    public static CaptureRunner start(Loops loops, CaptureLoop loop, @Nullable CheckpointMirror checkpoints) {
        return new CaptureRunner(loops, loop, checkpoints);
    }

    public CaptureState state() {
        return state;
    }

    /** Stops reading, waits until everything read is on disk, then mirrors the last position. */
    @Override
    public void close() {
        capture.close();
        if (mirror != null) {
            mirror.close();
        }
    }
}
