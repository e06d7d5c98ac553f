package dev.sluice.worker.stream;

import dev.sluice.worker.simulation.ManualModel;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The contract on the model of the simulation. */
abstract class ModelMessageStreamContract extends MessageStreamContract {
    private static final Duration STEP = Duration.ofMillis(5);
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final boolean newest;
    private @Nullable ManualModel model;

    ModelMessageStreamContract(boolean newest) {
        this.newest = newest;
    }

    @Override
    protected TestStream newStream(Retention retention, int maxConsumers) {
        ManualModel made = new ManualModel(retention, maxConsumers, newest);
        model = made;
        return new TestStream() {
            @Override
            public MessageStream stream() {
                return made.stream();
            }

            @Override
            public long publish(String subject, byte[] body) {
                return made.publish(subject, body);
            }

            @Override
            public void purgeBefore(long sequence) {
                made.purgeBefore(sequence);
            }

            @Override
            public List<Long> stored() {
                return made.stored();
            }

            @Override
            public void close() {}
        };
    }

    /** Lets the model's time pass until the condition holds. */
    @Override
    public void until(String what, BooleanSupplier condition) {
        for (Duration passed = Duration.ZERO; !condition.getAsBoolean(); passed = passed.plus(STEP)) {
            if (model == null || passed.compareTo(LIMIT) > 0) {
                throw new AssertionError("never: " + what);
            }
            model.pass(STEP);
        }
    }
}
