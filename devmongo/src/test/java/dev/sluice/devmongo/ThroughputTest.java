package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Prints how fast devmongo feeds pre-encoded events. The figure is never asserted, only that every event arrives. */
class ThroughputTest {
    private static final int EVENTS = Integer.getInteger("devmongo.throughput.events", 200_000);
    private static final int DOCUMENT_BYTES = 100;
    private static final BsonTimestamp FROM_THE_START = new BsonTimestamp(1, 1);
    private static DevMongo server;

    @BeforeAll
    static void preload() {
        server = DevMongo.builder().start();
        long start = System.nanoTime();
        server.script().preload("app", "load", EVENTS, DOCUMENT_BYTES);
        print("preloaded", start);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void print(String what, long start) {
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf("devmongo %s: %,d events in %.2f s = %,.0f/s%n", what, EVENTS, seconds, EVENTS / seconds);
    }

    @Test
    void aRawReaderGetsEveryEvent() throws IOException {
        for (int round = 0; round < 3; round++) {
            long start = System.nanoTime();
            assertThat(readRaw()).isEqualTo(EVENTS);
            print("to a raw reader", start);
        }
    }

    private static int readRaw() throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            BsonDocument stream = BsonDocument.parse(
                    "{aggregate: 1, pipeline: [{$changeStream: {startAtOperationTime: {$timestamp: {t: 1, i: 1}}}}], cursor: {batchSize: 0}, $db: 'app'}");
            BsonDocument more = new BsonDocument(
                            "getMore", client.run(stream).getDocument("cursor").get("id"))
                    .append("collection", new BsonString("$cmd.aggregate"))
                    .append("$db", new BsonString("app"));
            int events = 0;
            while (events < EVENTS) {
                client.send(more);
                events += countEvents(client.receiveBody());
            }
            return events;
        }
    }

    /** Walks from event to event by their lengths. */
    private static int countEvents(ByteBuffer reply) {
        int cursor = reply.position() + 4 + 1 + "cursor".length() + 1;
        int array = cursor + 4 + 1 + "nextBatch".length() + 1;
        int end = array + reply.getInt(array) - 1;
        int events = 0;
        for (int at = array + 4; at < end; events++) {
            at++;
            while (reply.get(at) != 0) {
                at++;
            }
            at++;
            at += reply.getInt(at);
        }
        return events;
    }

    @Test
    void theOfficialDriverGetsEveryEvent() {
        try (MongoClient client = MongoClients.create(server.connectionString())) {
            MongoDatabase database = client.getDatabase("app");
            for (int round = 0; round < 2; round++) {
                long start = System.nanoTime();
                int events = 0;
                try (MongoCursor<RawBsonDocument> cursor = database.watch()
                        .startAtOperationTime(FROM_THE_START)
                        .withDocumentClass(RawBsonDocument.class)
                        .iterator()) {
                    while (events < EVENTS) {
                        cursor.next();
                        events++;
                    }
                }
                assertThat(events).isEqualTo(EVENTS);
                print("to the official driver (raw documents)", start);
            }
        }
    }
}
