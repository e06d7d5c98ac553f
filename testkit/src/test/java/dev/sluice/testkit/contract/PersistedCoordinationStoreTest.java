package dev.sluice.testkit.contract;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.testkit.servers.RealServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

class PersistedCoordinationStoreTest extends CoordinationStoreContract {
    @TempDir
    Path directory;

    private InMemoryCoordinationStore store;

    @Override
    protected CoordinationStore open(Duration requestTimeout) {
        if (store == null) {
            store = InMemoryCoordinationStore.persisted(directory);
        }
        return store.anotherClient();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Override
    protected Optional<RealServer> server() {
        return Optional.empty();
    }

    @Override
    protected Duration ttl() {
        return Duration.ofMillis(200);
    }
}
