package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoIterable;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a data directory: what it acknowledged or showed is there at the next start. */
@Timeout(60)
class KeptDataTest {
    @TempDir
    Path directory;

    /** What a test does with a running server. */
    private interface Work {
        void with(DevMongo server, MongoClient client) throws Exception;
    }

    private void run(Work work) throws Exception {
        run(DevMongo.builder(), work);
    }

    private void run(DevMongoBuilder settings, Work work) throws Exception {
        try (DevMongo server = settings.data(directory).start();
                MongoClient client = MongoClients.create(server.connectionString())) {
            work.with(server, client);
        }
    }

    private static MongoCollection<Document> orders(MongoClient client) {
        return client.getDatabase("shop").getCollection("orders");
    }

    private static <T> List<T> all(MongoIterable<T> found) {
        return found.into(new ArrayList<>());
    }

    private static Document order(int id) {
        return new Document("_id", id).append("sku", "sku-" + id);
    }

    @Test
    void documentsIndexesNamesAndIdentitiesSurvive() throws Exception {
        List<Document> documents = new ArrayList<>();
        List<Document> collections = new ArrayList<>();
        run((server, client) -> {
            MongoCollection<Document> drafts = client.getDatabase("shop").getCollection("drafts");
            drafts.createIndex(Indexes.ascending("sku"), new IndexOptions().unique(true));
            drafts.createIndex(Indexes.ascending("gone"));
            drafts.insertMany(List.of(order(3), order(1), order(2)));
            drafts.updateOne(Filters.eq("_id", 1), Updates.set("state", "paid"));
            drafts.deleteOne(Filters.eq("_id", 2));
            drafts.dropIndex(Indexes.ascending("gone"));
            drafts.renameCollection(new MongoNamespace("shop", "orders"));
            MongoCollection<Document> dropped = client.getDatabase("shop").getCollection("dropped");
            dropped.insertOne(order(1));
            dropped.drop();
            try (ClientSession session = client.startSession()) {
                session.withTransaction(() -> orders(client).insertMany(session, List.of(order(9), order(8))));
            }
            documents.addAll(all(orders(client).find()));
            collections.addAll(all(client.getDatabase("shop").listCollections()));
        });
        run((server, client) -> {
            assertThat(all(orders(client).find())).hasSize(4).isEqualTo(documents);
            assertThat(all(client.getDatabase("shop").listCollections())).isEqualTo(collections);
            assertThat(all(orders(client).listIndexes()))
                    .extracting(index -> index.getString("name"))
                    .containsExactly("_id_", "sku_1");
            assertThatThrownBy(() -> orders(client).insertOne(new Document("_id", 4).append("sku", "sku-1")))
                    .as("the unique index works")
                    .isInstanceOf(MongoWriteException.class);
            orders(client).insertOne(order(2));
        });
    }

    @Test
    void aTransactionCommittedBehindADropOfItsCollectionDoesNotStopTheNextStart() throws Exception {
        run((server, client) -> {
            orders(client).insertMany(List.of(order(1), order(2)));
            try (ClientSession session = client.startSession()) {
                session.startTransaction();
                orders(client).insertOne(session, order(3));
                orders(client).deleteOne(session, Filters.eq("_id", 1));
                orders(client).drop();
                session.commitTransaction();
            }
        });
        run((server, client) -> assertThat(all(orders(client).find())).isEmpty());
    }

    /** The clock stands still and then goes back: the times of the second process must not. */
    @Test
    void aStreamResumesWithoutAGapAndTimesNeverGoBack() throws Exception {
        AtomicLong second = new AtomicLong(1_000);
        List<ChangeStreamDocument<Document>> before = new ArrayList<>();
        run(DevMongo.builder().clock(() -> Instant.ofEpochSecond(second.get())), (server, client) -> {
            try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream = stream(client, null)) {
                orders(client).insertMany(List.of(order(0), order(1), order(2)));
                orders(client).updateOne(Filters.eq("_id", 1), Updates.set("state", "paid"));
                orders(client).deleteOne(Filters.eq("_id", 2));
                before.addAll(next(stream, 5));
            }
        });
        second.set(900);
        run(DevMongo.builder().clock(() -> Instant.ofEpochSecond(second.get())), (server, client) -> {
            orders(client).insertOne(order(3));
            BsonDocument token = before.get(1).getResumeToken();
            try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream = stream(client, token)) {
                List<ChangeStreamDocument<Document>> after = next(stream, 4);
                assertThat(after.subList(0, 3)).isEqualTo(before.subList(2, 5));
                assertThat(after.getLast().getFullDocument()).isEqualTo(order(3));
                assertThat(after.getLast().getClusterTime())
                        .isGreaterThan(before.getLast().getClusterTime());
            }
        });
    }

    private static MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream(
            MongoClient client, BsonDocument after) {
        var watch = client.getDatabase("shop").watch().fullDocument(FullDocument.UPDATE_LOOKUP);
        return after == null ? watch.cursor() : watch.resumeAfter(after).cursor();
    }

    private static List<ChangeStreamDocument<Document>> next(
            MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream, int count) {
        return IntStream.range(0, count).mapToObj(k -> stream.next()).toList();
    }

    @Test
    void aRecordThatACrashCutOffIsDropped() throws Exception {
        run((server, client) -> orders(client).insertOne(order(1)));
        for (byte[] tail : new byte[][] {{0, 0}, {0, 0, 0, 50, 1, 2, 3, 4, 5}, {0, 0, 0, 2, 1, 2, 3, 4, 5, 6}}) {
            Files.write(directory.resolve("journal"), tail, StandardOpenOption.APPEND);
            run((server, client) -> assertThat(all(orders(client).find())).containsExactly(order(1)));
        }
    }

    @Test
    void lostHistoryStaysLost() throws Exception {
        List<BsonDocument> tokens = new ArrayList<>();
        run((server, client) -> {
            try (MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream = stream(client, null)) {
                orders(client).insertOne(order(1));
                tokens.add(stream.next().getResumeToken());
            }
            server.script().rollOplogOver();
        });
        run((server, client) -> assertHistoryLost(client, tokens.getFirst()));
    }

    /** A token of another server: an empty directory has no history that could contain it. */
    @Test
    void anEmptyDirectoryHasNoHistory() throws Exception {
        List<BsonDocument> tokens = new ArrayList<>();
        try (DevMongo other = DevMongo.builder().start();
                MongoClient client = MongoClients.create(other.connectionString());
                MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream = stream(client, null)) {
            orders(client).insertOne(order(1));
            tokens.add(stream.next().getResumeToken());
        }
        run((server, client) -> assertHistoryLost(client, tokens.getFirst()));
    }

    private static void assertHistoryLost(MongoClient client, BsonDocument token) {
        assertThatThrownBy(() -> stream(client, token).close())
                .isInstanceOfSatisfying(
                        MongoCommandException.class,
                        failed -> assertThat(failed.getErrorCode()).isEqualTo(286));
    }

    @Test
    void aDirectoryHasOneServerAndAnotherFileIsRefused() throws Exception {
        run((server, client) -> assertThatThrownBy(
                        () -> DevMongo.builder().data(directory).start())
                .hasMessageContaining("another devmongo uses " + directory));
        Files.writeString(directory.resolve("journal"), "somebody's diary");
        assertThatThrownBy(() -> DevMongo.builder().data(directory).start())
                .hasMessageContaining("not a journal")
                .hasMessageContaining("use another directory");
    }

    /** Drivers refuse a primary whose election is older than one they know. */
    @Test
    void everyStartIsAnElectionOfItsOwn() throws Exception {
        List<Document> elections = new ArrayList<>();
        Work work = (server, client) -> {
            server.script().stepDown();
            server.script().stepUp();
            elections.add(client.getDatabase("admin").runCommand(new Document("hello", 1)));
        };
        run(work);
        run(work);
        assertThat(elections.get(1).getObjectId("electionId"))
                .isGreaterThan(elections.get(0).getObjectId("electionId"));
        assertThat(time(elections.get(1))).isGreaterThan(time(elections.get(0)));
    }

    private static BsonTimestamp time(Document hello) {
        return hello.get("lastWrite", Document.class)
                .get("opTime", Document.class)
                .get("ts", BsonTimestamp.class);
    }
}
