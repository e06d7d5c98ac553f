package dev.sluice.coordinate.memory;

import dev.sluice.coordinate.CoordinationStore;
import java.util.function.Consumer;

/** One who wants to be told. */
final class MemoryWatch implements CoordinationStore.Watch {
    private final String prefix;
    private final Consumer<String> changed;
    private final Consumer<MemoryWatch> end;
    private volatile boolean closed;

    MemoryWatch(String prefix, Consumer<String> changed, Consumer<MemoryWatch> end) {
        this.prefix = prefix;
        this.changed = changed;
        this.end = end;
    }

    void tell(String key) {
        if (!closed && key.startsWith(prefix)) {
            changed.accept(key);
        }
    }

    @Override
    public void close() {
        closed = true;
        end.accept(this);
    }
}
