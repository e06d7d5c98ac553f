package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.checkpoint.InMemoryCheckpoints;
import java.util.Map;
import java.util.Optional;

/** A store that is away until told otherwise. */
final class FailingCheckpoints implements CheckpointStore {
    private final InMemoryCheckpoints store = new InMemoryCheckpoints();
    boolean failing = true;
    RuntimeException failure = new CheckpointException("the store is away", new IllegalStateException());

    private InMemoryCheckpoints reach() {
        if (failing) {
            throw failure;
        }
        return store;
    }

    @Override
    public void save(String name, Checkpoint checkpoint) {
        reach().save(name, checkpoint);
    }

    @Override
    public Optional<Checkpoint> load(String name) {
        return reach().load(name);
    }

    @Override
    public Map<String, Checkpoint> list() {
        return reach().list();
    }

    @Override
    public void delete(String name) {
        reach().delete(name);
    }

    @Override
    public void close() {}
}
