package dev.sluice.bench;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's embedded engine: JSON, a batch consumer that only counts, offsets in a file. It starts behind a marker
 * document; its start-up is not counted, only what follows the first batch. Named by max.batch.size/max.queue.size.
 */
record DebeziumContender(LoadedMongo mongo, Offsets offsets, int batch, int queue, int events) implements Contender {

    /** An offset file that stands before everything the benchmark loads. */
    record Offsets(Path file) {
        /** Lets an engine run until it has seen a marker document, then keeps its offset. */
        static Offsets before(LoadedMongo mongo) throws IOException {
            Path file = Files.createTempFile("sluice-bench-offsets", ".dat");
            file.toFile().deleteOnExit();
            Counting counting = new Counting(1);
            try (MongoClient client = MongoClients.create(mongo.connection())) {
                MongoCollection<Document> markers =
                        client.getDatabase(LoadedMongo.DATABASE).getCollection(LoadedMongo.COLLECTION);
                // Debezium refuses a server without databases.
                markers.insertOne(new Document("marker", true));
                try (Running engine = new Running(mongo, file, 100, 800, counting)) {
                    while (!counting.finished(500)) {
                        engine.requireAlive();
                        markers.insertOne(new Document("marker", true));
                    }
                }
            }
            return new Offsets(file);
        }
    }

    @Override
    public String name() {
        return "Debezium, %d/%d".formatted(batch, queue);
    }

    @Override
    public boolean isJudged() {
        return false;
    }

    @Override
    public Sample round() throws Exception {
        Path copy = Files.createTempFile("sluice-bench-offsets", ".dat");
        Files.copy(offsets.file(), copy, StandardCopyOption.REPLACE_EXISTING);
        Counting counting = new Counting(events);
        try (Running engine = new Running(mongo, copy, batch, queue, counting)) {
            while (!counting.finished(1000)) {
                engine.requireAlive();
            }
        } finally {
            Files.delete(copy);
        }
        return counting.sample();
    }

    /** Counts at the receiver, from the end of the first batch on. */
    private static final class Counting implements DebeziumEngine.ChangeConsumer<ChangeEvent<String, String>> {
        private final int events;
        private final CountDownLatch done = new CountDownLatch(1);
        private @Nullable Stopwatch watch;
        private @Nullable Sample sample;
        private int seen;

        Counting(int events) {
            this.events = events;
        }

        @Override
        public void handleBatch(
                List<ChangeEvent<String, String>> records,
                DebeziumEngine.RecordCommitter<ChangeEvent<String, String>> committer)
                throws InterruptedException {
            for (ChangeEvent<String, String> record : records) {
                committer.markProcessed(record);
            }
            committer.markBatchFinished();
            if (watch == null) {
                watch = Stopwatch.start();
            } else {
                seen += records.size();
            }
            if (sample == null && (seen >= events || events == 1)) {
                sample = watch.stop(Math.max(1, seen));
                done.countDown();
            }
        }

        boolean finished(long millis) {
            try {
                return done.await(millis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        Sample sample() {
            return Objects.requireNonNull(sample);
        }
    }

    /** An engine on a thread of its own. */
    private static final class Running implements AutoCloseable {
        private final DebeziumEngine<ChangeEvent<String, String>> engine;
        private final ExecutorService thread = Executors.newSingleThreadExecutor();
        private volatile @Nullable String failure;

        Running(LoadedMongo mongo, Path offsets, int batch, int queue, Counting counting) {
            engine = DebeziumEngine.create(Json.class)
                    .using(properties(mongo, offsets, batch, queue))
                    .using((success, message, error) -> failure = success ? null : message + " " + error)
                    .notifying(counting)
                    .build();
            thread.execute(engine);
        }

        private static Properties properties(LoadedMongo mongo, Path offsets, int batch, int queue) {
            Properties properties = new Properties();
            properties.setProperty("name", "bench");
            properties.setProperty("connector.class", "io.debezium.connector.mongodb.MongoDbConnector");
            properties.setProperty("mongodb.connection.string", mongo.connection());
            properties.setProperty("topic.prefix", "bench");
            properties.setProperty("database.include.list", LoadedMongo.DATABASE);
            properties.setProperty("snapshot.mode", "no_data");
            properties.setProperty("max.batch.size", String.valueOf(batch));
            properties.setProperty("max.queue.size", String.valueOf(queue));
            properties.setProperty("offset.storage", "org.apache.kafka.connect.storage.FileOffsetBackingStore");
            properties.setProperty("offset.storage.file.filename", offsets.toString());
            properties.setProperty("offset.flush.interval.ms", "100");
            properties.setProperty("converter.schemas.enable", "false");
            return properties;
        }

        void requireAlive() {
            if (failure != null) {
                throw new IllegalStateException("Debezium ended: " + failure);
            }
        }

        @Override
        public void close() {
            try {
                engine.close();
            } catch (IOException | IllegalStateException alreadyClosed) {
                System.err.println("Debezium: " + alreadyClosed.getMessage());
            }
            thread.shutdown();
            try {
                thread.awaitTermination(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
