package dev.sluice.route;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has something happen in the middle of a step of the Streamer: where another thread could change the registry, and wherever the
 * Streamer calls the outside, so that a crash there leaves a step half done.
 */
final class Interruptions {
    enum Step {
        TAIL,
        CATCH_UP,
        SETTLING,
        OPENING,
        SAVING,
        SENDING,
        BEFORE_ANSWER
    }

    private static final Map<String, Step> STEPS = Map.of(
            "TailReader", Step.TAIL,
            "CatchUp", Step.CATCH_UP,
            "ArrivedHandler", Step.SETTLING,
            "PartitionStreams", Step.OPENING);

    private @Nullable Step at;
    private int skipped;
    private Consumer<Step> action = step -> {};

    /** Waits for such a step, passes by so many occasions, and does it once. */
    void arm(Step step, int skip, Consumer<Step> what) {
        at = step;
        skipped = skip;
        action = what;
    }

    void disarm() {
        at = null;
    }

    /** The Streamer is at this step. */
    void in(Step step) {
        if (at == step && skipped-- <= 0) {
            at = null;
            action.accept(step);
        }
    }

    /** The Streamer calls the feed or reads the registry: the class on the stack says for which step. */
    void inStepOfCaller() {
        Step armed = at;
        if (armed == null || !STEPS.containsValue(armed)) {
            return;
        }
        boolean there = StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .map(name -> STEPS.get(name.substring(name.lastIndexOf('.') + 1)))
                        .anyMatch(armed::equals));
        if (there) {
            in(armed);
        }
    }
}
