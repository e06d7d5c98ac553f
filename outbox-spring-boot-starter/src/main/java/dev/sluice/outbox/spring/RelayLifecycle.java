package dev.sluice.outbox.spring;

import dev.sluice.outbox.OutboxRelay;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** The relay lives as long as the application: it starts before requests come in, and stops after the last are answered. */
final class RelayLifecycle implements SmartLifecycle {
    /** Below the phases of Spring Boot's web server and of its graceful shutdown. */
    private static final int PHASE = DEFAULT_PHASE - 4_096;

    private final Supplier<OutboxRelay> starting;
    private volatile @Nullable OutboxRelay relay;

    RelayLifecycle(Supplier<OutboxRelay> starting) {
        this.starting = starting;
    }

    @Override
    public synchronized void start() {
        if (relay == null) {
            relay = starting.get();
        }
    }

    @Override
    public synchronized void stop() {
        OutboxRelay running = relay;
        relay = null;
        if (running != null) {
            running.close();
        }
    }

    /** Empty while the application starts or stops. */
    Optional<OutboxRelay> relay() {
        return Optional.ofNullable(relay);
    }

    @Override
    public boolean isRunning() {
        return relay != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
