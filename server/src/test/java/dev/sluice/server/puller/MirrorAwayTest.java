package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClients;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.checkpoint.InMemoryCheckpoints;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.run.Loops;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.Optional;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mirror that cannot even be opened: its name does not resolve, say. */
class MirrorAwayTest {
    @TempDir
    Path data;

    private final CheckpointStore mirror = new InMemoryCheckpoints();
    private volatile boolean away;

    private CheckpointStore open() {
        if (away) {
            throw new IllegalStateException("the mirror's name does not resolve");
        }
        return mirror;
    }

    @Test
    void captureGoesOnWithoutItAndItIsServedWhenItIsBack() throws Exception {
        try (var mongo = DevMongo.builder().start()) {
            try (var backend = start(mongo)) {
                await("begun", () -> backend.log().started());
            }
            away = true;
            write(mongo, 1);
            try (var backend = start(mongo)) {
                await("captured", () -> backend.log().events() == 1);
                await("said", () -> backend.capture().counters().checkpointErrors() > 1);
                away = false;
                write(mongo, 2);
                await("captured", () -> backend.log().events() == 2);
                await(
                        "mirrored",
                        () -> mirror.list().containsValue(backend.log().checkpoint()));
            }
        }
    }

    /** To begin anywhere would be a gap that nobody hears of, if the mirror knows a place. */
    @Test
    void anEmptyLogWaitsForIt() throws Exception {
        away = true;
        try (var mongo = DevMongo.builder().start();
                var backend = start(mongo)) {
            await("it says why", () -> backend.capture().reason().contains("does not resolve"));
            write(mongo, 1);
            assertThat(backend.log().started()).isFalse();
            away = false;
            await("captured", () -> backend.log().events() == 1);
        }
    }

    private BackendPipeline start(DevMongo mongo) {
        var of = BackendSettings.of(new PullerSetup(data)
                        .backend("shop", mongo)
                        .backendOptions("start: earliest")
                        .puller("checkpoint: {interval: 50ms}\n")
                        .sections("reliability: {circuit_breaker: {timeout: 500ms}}\n")
                        .config())
                .getFirst();
        var backend = BackendPipeline.open(
                new BackendSettings(
                        of.name(),
                        "left",
                        of.path(),
                        of.minFree(),
                        of.source(),
                        of.messages(),
                        of.capture(),
                        of.commit(),
                        of.retention(),
                        Optional.of(this::open)),
                new PullerMeters(new SimpleMeterRegistry()),
                new Loops());
        backend.start();
        return backend;
    }

    private static void write(DevMongo mongo, int id) {
        try (var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("shop").getCollection("orders").insertOne(new Document("_id", id));
        }
    }
}
