package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.testkit.contract.CheckpointStoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MongoCheckpointsTest extends CheckpointStoreContract {
    private final DevMongo server = DevMongo.builder().start();

    @AfterEach
    void stop() {
        server.close();
    }

    @Override
    protected CheckpointStore open() {
        return at(server.connectionString(), Duration.ofSeconds(10));
    }

    @Override
    protected CheckpointStore reopen() {
        return open();
    }

    private static CheckpointStore at(String connection, Duration timeout) {
        return new MongoCheckpoints(
                connection, MongoCheckpoints.DEFAULT_DATABASE, MongoCheckpoints.DEFAULT_COLLECTION, timeout);
    }

    @Test
    void aServerThatIsAwayIsSaidToBeAway() {
        try (CheckpointStore away = at("mongodb://127.0.0.1:1/", Duration.ofMillis(200))) {
            assertThatThrownBy(() -> away.load("main"))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessageContaining("can be reached");
        }
    }
}
