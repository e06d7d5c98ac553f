package dev.sluice.testkit.servers;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One server for all tests of the run, started by the first that asks. If that fails, it fails for the others at once. */
final class SharedServer<S extends RealServer> {

    private final Supplier<S> started;
    private @Nullable S server;
    private @Nullable ServerUnavailableException failure;

    SharedServer(Supplier<S> started) {
        this.started = started;
    }

    synchronized S get() {
        if (failure != null) {
            throw failure;
        }
        if (server == null) {
            try {
                server = started.get();
            } catch (ServerUnavailableException e) {
                failure = e;
                throw e;
            }
        }
        return server;
    }
}
