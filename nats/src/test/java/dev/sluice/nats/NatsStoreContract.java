package dev.sluice.nats;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.testkit.contract.CoordinationStoreContract;
import dev.sluice.testkit.servers.NatsServer;
import dev.sluice.testkit.servers.RealServer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** The contract on one line of NATS. */
abstract class NatsStoreContract extends CoordinationStoreContract {
    private static final AtomicInteger TESTS = new AtomicInteger();

    final String bucket = "test-" + TESTS.incrementAndGet();

    abstract NatsServer nats();

    @Override
    protected CoordinationStore open(Duration requestTimeout) {
        return through(nats().url(), requestTimeout);
    }

    @Override
    protected Optional<CoordinationStore> openThrough(int port, Duration requestTimeout) {
        return Optional.of(through("nats://127.0.0.1:" + port, requestTimeout));
    }

    CoordinationStore through(String url, Duration requestTimeout) {
        return new NatsCoordinationStore(NatsAccess.to(url), bucket, 1, requestTimeout);
    }

    @Override
    protected Optional<RealServer> server() {
        return Optional.of(nats());
    }

    @Test
    @Override
    @Disabled("NATS has no transaction over two buckets: it looks at the lease, then writes")
    protected void noPutUnderALeaseHappensAfterItsEnd() {}
}
