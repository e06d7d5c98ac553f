package dev.sluice.server.puller;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointStore;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A checkpoint store that notes how long its saves take. */
record MeasuredCheckpoints(CheckpointStore store, Function<String, Timer> timers) implements CheckpointStore {

    @Override
    public void save(String name, Checkpoint checkpoint) {
        timers.apply(name).record(() -> store.save(name, checkpoint));
    }

    @Override
    public Optional<Checkpoint> load(String name) {
        return store.load(name);
    }

    @Override
    public Map<String, Checkpoint> list() {
        return store.list();
    }

    @Override
    public void delete(String name) {
        store.delete(name);
    }

    @Override
    public void close() {
        store.close();
    }
}
