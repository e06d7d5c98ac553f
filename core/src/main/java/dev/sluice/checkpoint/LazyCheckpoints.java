package dev.sluice.checkpoint;

import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that is opened when it is first needed. One that cannot be opened, say because its name does not resolve, is a
 * store that cannot be reached: the call fails, and the next tries again.
 */
public final class LazyCheckpoints implements CheckpointStore {
    private final Supplier<? extends CheckpointStore> opening;
    private @Nullable CheckpointStore opened;
    private boolean closed;

    public LazyCheckpoints(Supplier<? extends CheckpointStore> opening) {
        this.opening = opening;
    }

    private synchronized CheckpointStore store() {
        if (closed) {
            throw new IllegalStateException("this checkpoint store is closed");
        }
        CheckpointStore existing = opened;
        if (existing != null) {
            return existing;
        }
        CheckpointStore made = open();
        opened = made;
        return made;
    }

    private CheckpointStore open() {
        try {
            return opening.get();
        } catch (RuntimeException failed) {
            throw new CheckpointException(
                    "The checkpoint store cannot be opened (" + failed.getMessage()
                            + "): see that its address is right and resolves.",
                    failed);
        }
    }

    @Override
    public void save(String name, Checkpoint checkpoint) {
        store().save(name, checkpoint);
    }

    @Override
    public Optional<Checkpoint> load(String name) {
        return store().load(name);
    }

    @Override
    public Map<String, Checkpoint> list() {
        return store().list();
    }

    @Override
    public void delete(String name) {
        store().delete(name);
    }

    @Override
    public synchronized void close() {
        closed = true;
        CheckpointStore open = opened;
        opened = null;
        if (open != null) {
            open.close();
        }
    }
}
