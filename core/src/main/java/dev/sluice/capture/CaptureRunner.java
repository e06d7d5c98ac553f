package dev.sluice.capture;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Runs one backend's capture loop, and its mirror if it has one, on threads of their own. Each backend has its own
 * runner: one that fails never stops another.
 */
public final class CaptureRunner implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final CaptureState state;
    private final StepThread capture;
    private final @Nullable StepThread mirror;

    private CaptureRunner(CaptureLoop loop, @Nullable CheckpointMirror checkpoints) {
        this.state = loop.state();
        this.capture = StepThread.start("capture-" + state.backend(), loop::step, loop::close);
        this.mirror = checkpoints == null
                ? null
                : StepThread.start("mirror-" + state.backend(), checkpoints::step, checkpoints::save);
    }

    public static CaptureRunner start(CaptureLoop loop, @Nullable CheckpointMirror checkpoints) {
        return new CaptureRunner(loop, checkpoints);
    }

    public CaptureState state() {
        return state;
    }

    /** Stops reading, waits until everything read is on disk, then mirrors the last position. */
    @Override
    public void close() {
        capture.askToStop();
        capture.join(PATIENCE);
        if (mirror != null) {
            mirror.askToStop();
            mirror.join(PATIENCE);
        }
    }
}
