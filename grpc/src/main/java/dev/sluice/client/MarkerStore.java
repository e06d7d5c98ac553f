package dev.sluice.client;

import java.io.IOException;
import java.util.Optional;

/**
 * Where a consumer keeps its progress marker between two lives. A good place is the database that the events are applied
 * to, in the same transaction; then nothing is ever applied twice.
 */
public interface MarkerStore {
    /** The marker saved last; empty if there never was one. */
    Optional<String> load() throws IOException;

    /** Keeps the marker; when this returns, a crash does not undo it. */
    void save(String marker) throws IOException;
}
