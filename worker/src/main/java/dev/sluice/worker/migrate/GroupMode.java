package dev.sluice.worker.migrate;

import dev.sluice.worker.WorkerSettings.ConsumerMode;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The present consumer mode of a worker: as its group's last migration says, else as it is configured. Any thread may call. */
public final class GroupMode implements Supplier<ConsumerMode> {
    private final ConsumerMode configured;
    private volatile @Nullable Migration migration;

    public GroupMode(ConsumerMode configured, Optional<Migration> last) {
        this.configured = configured;
        this.migration = last.orElse(null);
    }

    @Override
    public ConsumerMode get() {
        Migration last = migration;
        return last == null ? configured : last.mode();
    }

    public Optional<Migration> migration() {
        return Optional.ofNullable(migration);
    }

    void follow(Optional<Migration> read) {
        migration = read.orElse(null);
    }

    /** The problem when {@code worker.consumers} of this worker differs from the mode of its group; empty when they agree. */
    String difference() {
        Migration last = migration;
        if (last == null || last.isRunning() || last.mode() == configured) {
            return "";
        }
        return "worker.consumers of this worker is " + Migration.word(configured) + ", but its group uses "
                + Migration.word(last.mode()) + " since its last migration (" + last.sentence()
                + "): configure that, or change the mode of the group (sluice worker migrate)";
    }
}
