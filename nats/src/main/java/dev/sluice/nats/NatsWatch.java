package dev.sluice.nats;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.StoreUnavailableException;
import io.nats.client.Dispatcher;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows one prefix of a bucket for as long as it is wanted. A connection that was lost takes the consumer with it: a new one
 * is made when it is back, and every making counts as a change of anything.
 */
final class NatsWatch implements CoordinationStore.Watch {
    private static final Executor NOW =
            task -> Thread.ofVirtual().name("nats-watch").start(task);
    private static final Executor SOON = CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS, NOW);

    private final NatsLink nats;
    private final Supplier<NatsBucket> bucket;
    private final String prefix;
    private final Consumer<String> changed;
    private final Consumer<NatsWatch> end;
    private final Runnable whenBack = () -> NOW.execute(this::follow);
    private @Nullable Dispatcher dispatcher;
    private volatile boolean closed;

    NatsWatch(
            NatsLink nats,
            Supplier<NatsBucket> bucket,
            String prefix,
            Consumer<String> changed,
            Consumer<NatsWatch> end) {
        this.nats = nats;
        this.bucket = bucket;
        this.prefix = prefix;
        this.changed = changed;
        this.end = end;
    }

    void start() {
        nats.whenBack(whenBack);
        follow();
    }

    private synchronized void follow() {
        leave();
        if (closed) {
            return;
        }
        try {
            dispatcher = nats.call("watch " + prefix, () -> nats.connection().createDispatcher());
            bucket.get().follow(prefix, dispatcher, this::tell);
            tell(prefix);
        } catch (StoreUnavailableException away) {
            SOON.execute(this::follow);
        }
    }

    private void tell(String key) {
        if (!closed) {
            changed.accept(key);
        }
    }

    private void leave() {
        if (dispatcher != null) {
            Dispatcher old = dispatcher;
            dispatcher = null;
            nats.closeQuietly(old);
        }
    }

    @Override
    public void close() {
        closed = true;
        nats.forget(whenBack);
        end.accept(this);
        synchronized (this) {
            leave();
        }
    }
}
