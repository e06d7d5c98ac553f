package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.mongodb.MongoCheckpoints;
import java.nio.file.Path;
import java.time.Duration;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mirror in the watched deployment: each of its writes moves the position of the stream it mirrors. */
class IdleMirrorTest {
    private static final Duration QUIET = Duration.ofSeconds(1);

    @TempDir
    Path data;

    private BsonTimestamp newest = new BsonTimestamp(0);
    private long since;

    @Test
    void anIdlePullerWritesHardlyEver() throws Exception {
        try (var mongo = DevMongo.builder().start();
                var client = MongoClients.create(mongo.connectionString());
                var mirror = new MongoCheckpoints(
                        mongo.connectionString(),
                        MongoCheckpoints.DEFAULT_DATABASE,
                        MongoCheckpoints.DEFAULT_COLLECTION,
                        Duration.ofSeconds(2));
                var role = new PullerSetup(data)
                        .backend("shop", mongo)
                        .puller("checkpoint: {backend: mongodb, interval: 50ms}\n")
                        .start()) {
            var log = role.puller().backends().getFirst();
            await("the log has begun", () -> log.log().started());
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", 1));
            await("captured", () -> log.log().events() == 1);
            var written = log.log().head().id().time();
            await(
                    "mirrored",
                    () -> mirror.list().values().stream()
                            .anyMatch(copy -> copy.time().compareTo(written) >= 0));
            await("nothing was written for " + QUIET, () -> isQuiet(mongo));
            assertThat(log.log().events()).isOne();
        }
    }

    private boolean isQuiet(DevMongo mongo) {
        if (!mongo.script().newest().equals(newest)) {
            newest = mongo.script().newest();
            since = System.nanoTime();
        }
        return System.nanoTime() - since > QUIET.toNanos();
    }
}
