package dev.sluice.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GuardedListenerTest {
    private final WorkerCounters counters = new WorkerCounters();

    @Test
    void passesEveryCallOn() {
        List<String> calls = new ArrayList<>();
        WorkerListener guarded = WorkerListener.guarded(
                new WorkerListener() {
                    @Override
                    public void updateTook(Duration time, boolean ok) {
                        calls.add("update " + time.toMillis() + " " + ok);
                    }

                    @Override
                    public void handled(Duration time, Outcome outcome) {
                        calls.add("handled " + time.toMillis() + " " + outcome);
                    }

                    @Override
                    public void handoffTook(Duration time) {
                        calls.add("handoff " + time.toMillis());
                    }
                },
                counters);

        guarded.updateTook(Duration.ofMillis(1), false);
        guarded.handled(Duration.ofMillis(2), Outcome.done());
        guarded.handoffTook(Duration.ofMillis(3));

        assertThat(calls).containsExactly("update 1 false", "handled 2 Done[]", "handoff 3");
        assertThat(counters.listenerFailures.sum()).isZero();
    }

    @Test
    void survivesWhateverAListenerThrows() {
        WorkerListener guarded = WorkerListener.guarded(
                new WorkerListener() {
                    @Override
                    public void updateTook(Duration time, boolean ok) {
                        throw new IllegalStateException("registry closed");
                    }

                    @Override
                    public void handled(Duration time, Outcome outcome) {
                        throw new NoClassDefFoundError("micrometer");
                    }
                },
                counters);

        guarded.updateTook(Duration.ZERO, true);
        guarded.handled(Duration.ZERO, Outcome.done());
        guarded.handoffTook(Duration.ZERO);

        assertThat(counters.listenerFailures.sum()).isEqualTo(2);
    }
}
