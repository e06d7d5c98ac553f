package dev.sluice.coordinate.memory;

import dev.sluice.coordinate.Entry;
import java.util.Collection;

/** Where changes are kept beyond the life of this JVM, if anywhere. Called by one thread at a time. */
interface Journal extends AutoCloseable {
    /** Forgets everything when the JVM ends. */
    Journal NONE = new Journal() {
        @Override
        public void written(Entry entry, Collection<Entry> before) {}

        @Override
        public void deleted(String key, long revision, Collection<Entry> before) {}

        @Override
        public void close() {}
    };

    /**
     * Keeps that this entry is written; when it returns, a crash of the machine does not undo it.
     *
     * @param before all entries as they are without it, for a journal that starts anew
     * @throws dev.sluice.coordinate.StoreUnavailableException when the disk refuses it
     */
    void written(Entry entry, Collection<Entry> before);

    /** Keeps that this key is deleted, by that revision. */
    void deleted(String key, long revision, Collection<Entry> before);

    @Override
    void close();
}
