package dev.sluice.client;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Forgets with the process: for consumers that start anew each time. */
public final class MemoryMarkerStore implements MarkerStore {
    private volatile @Nullable String marker;

    @Override
    public Optional<String> load() {
        return Optional.ofNullable(marker);
    }

    @Override
    public void save(String saved) {
        marker = saved;
    }
}
