package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.worker.Outcome;
import dev.sluice.worker.WorkerListener;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AckWaitWatchTest {
    private final Problems problems = new Problems();
    private final AckWaitWatch watch = new AckWaitWatch(WorkerListener.NONE, Duration.ofSeconds(30), problems);

    private void handled(int calls, Duration time) {
        for (int i = 0; i < calls; i++) {
            watch.handled(time, Outcome.done());
        }
        watch.check();
    }

    @Test
    void aQuickHandlerIsNoProblem() {
        handled(1_000, Duration.ofMillis(3));
        handled(40, Duration.ofSeconds(25));
        assertThat(problems.texts()).as("4 % are slow").isEmpty();
    }

    @Test
    void aHandlerWhoseP95IsAboveAThirdOfAckWaitIs() {
        handled(900, Duration.ofMillis(3));
        handled(100, Duration.ofSeconds(14));
        assertThat(problems.texts())
                .singleElement()
                .asString()
                .contains("ack_wait (30000 ms)", "p95 of the handler (about 12288 ms)", "Raise ack_wait");
    }

    @Test
    void aFewCallsProveNothing() {
        handled(99, Duration.ofMinutes(2));
        assertThat(problems.texts()).isEmpty();
    }

    @Test
    void aHandlerThatBecameFasterIsBelieved() {
        handled(10_000, Duration.ofSeconds(20));
        assertThat(problems.texts()).hasSize(1);
        for (int minute = 0; minute < 12; minute++) {
            handled(10_000, Duration.ofMillis(1));
        }
        assertThat(problems.texts()).isEmpty();
    }
}
