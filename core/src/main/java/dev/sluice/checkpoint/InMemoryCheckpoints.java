package dev.sluice.checkpoint;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Checkpoints that live as long as this object. */
public final class InMemoryCheckpoints implements CheckpointStore {
    private final Map<String, Checkpoint> checkpoints = new ConcurrentSkipListMap<>();

    @Override
    public void save(String name, Checkpoint checkpoint) {
        checkpoints.put(CheckpointStore.checkName(name), checkpoint);
    }

    @Override
    public Optional<Checkpoint> load(String name) {
        return Optional.ofNullable(checkpoints.get(CheckpointStore.checkName(name)));
    }

    @Override
    public Map<String, Checkpoint> list() {
        return new TreeMap<>(checkpoints);
    }

    @Override
    public void delete(String name) {
        checkpoints.remove(CheckpointStore.checkName(name));
    }

    @Override
    public void close() {}
}
