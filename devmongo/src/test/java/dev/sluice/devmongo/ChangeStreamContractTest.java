package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoCommandException;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.OperationType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What capture relies on, through the official driver. Runs against devmongo, or instead against the real
 * MongoDB that {@code MONGODB_URI} names; tests that need the server to lose history are devmongo's alone.
 */
class ChangeStreamContractTest {
    private static MongoUnderTest mongo;

    private final MongoDatabase database = mongo.database();

    @BeforeAll
    static void start() {
        mongo = new MongoUnderTest();
    }

    @AfterAll
    static void stop() {
        mongo.close();
    }

    private static List<BsonDocument> readUntilEnd(ChangeStreamIterable<Document> stream) {
        List<BsonDocument> events = new ArrayList<>();
        try (MongoCursor<BsonDocument> cursor =
                stream.withDocumentClass(BsonDocument.class).iterator()) {
            while (events.isEmpty() || !isEnd(events.getLast())) {
                events.add(cursor.next());
            }
        }
        return events;
    }

    private static boolean isEnd(BsonDocument event) {
        return event.getDocument("ns", new BsonDocument())
                .get("coll", new BsonInt32(0))
                .equals(new org.bson.BsonString("end"));
    }

    private void writeEnd() {
        database.getCollection("end").insertOne(new Document("_id", "end"));
    }

    /** A time before which nothing happened in this database. */
    private BsonTimestamp now() {
        try (ClientSession session = mongo.client().startSession()) {
            database.runCommand(session, new Document("ping", 1));
            return session.getOperationTime();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void resumingAfterAnyEventOfARandomHistoryGivesExactlyTheRest(long seed) {
        BsonTimestamp start = now();
        RandomHistory history = new RandomHistory(mongo.client(), database, seed);
        history.write(50);
        writeEnd();
        List<BsonDocument> all = readUntilEnd(database.watch().startAtOperationTime(start));
        List<BsonDocument> events = all.subList(0, all.size() - 1);
        assertThat(events.stream().map(RandomHistory::describe).toList())
                .as("seed %d", seed)
                .isEqualTo(history.expected())
                .hasSizeGreaterThan(20);
        assertThat(FoldedEvents.of(events)).as("seed %d", seed).isEqualTo(history.documents());
        for (int i = 0; i < all.size() - 1; i++) {
            BsonDocument token = all.get(i).getDocument("_id");
            List<BsonDocument> rest = all.subList(i + 1, all.size());
            ChangeStreamIterable<Document> resumed = i % 2 == 0
                    ? database.watch().resumeAfter(token)
                    : database.watch().startAfter(token);
            assertThat(readUntilEnd(resumed.batchSize(i % 3 == 0 ? 2 : 100)))
                    .as("seed %d, after event %d", seed, i)
                    .isEqualTo(rest);
        }
    }

    @Test
    void tokensDifferAndGrowWithTheEvents() {
        BsonTimestamp start = now();
        new RandomHistory(mongo.client(), database, 42).write(60);
        writeEnd();
        List<String> tokens = readUntilEnd(database.watch().startAtOperationTime(start)).stream()
                .map(event -> event.getDocument("_id").getString("_data").getValue())
                .toList();
        assertThat(tokens).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void aTransactionsEventsComeInOrderWithOneClusterTime() {
        database.createCollection("orders");
        database.createCollection("outbox");
        try (var stream = database.watch().cursor();
                ClientSession session = mongo.client().startSession()) {
            session.withTransaction(() -> {
                database.getCollection("orders").insertOne(session, new Document("_id", 1));
                database.getCollection("outbox").insertOne(session, new Document("_id", "a"));
                database.getCollection("orders").updateOne(session, Filters.eq("_id", 1), Updates.set("paid", true));
                return 1;
            });
            database.getCollection("orders").insertOne(new Document("_id", 2));
            List<ChangeStreamDocument<Document>> events = take(stream, 4);
            assertThat(events)
                    .extracting(ChangeStreamDocument::getOperationType)
                    .containsExactly(
                            OperationType.INSERT, OperationType.INSERT, OperationType.UPDATE, OperationType.INSERT);
            assertThat(events.subList(0, 3))
                    .extracting(ChangeStreamDocument::getClusterTime)
                    .containsOnly(events.getFirst().getClusterTime());
            assertThat(events.subList(0, 3))
                    .extracting(ChangeStreamDocument::getTxnNumber)
                    .doesNotContainNull();
            assertThat(events.get(3).getClusterTime())
                    .isGreaterThan(events.getFirst().getClusterTime());
            assertThat(events.get(3).getTxnNumber()).isNull();
        }
    }

    private static List<ChangeStreamDocument<Document>> take(
            MongoChangeStreamCursor<ChangeStreamDocument<Document>> stream, int n) {
        List<ChangeStreamDocument<Document>> events = new ArrayList<>();
        while (events.size() < n) {
            events.add(stream.next());
        }
        return events;
    }

    @Test
    void anAbortedTransactionAndAnUpdateThatChangesNothingAreNeverSeen() {
        MongoCollection<Document> orders = database.getCollection("orders");
        orders.insertOne(new Document("_id", 1).append("a", 1));
        try (var stream = database.watch().cursor();
                ClientSession session = mongo.client().startSession()) {
            session.startTransaction();
            orders.insertOne(session, new Document("_id", 2));
            session.abortTransaction();
            orders.updateOne(Filters.eq("_id", 1), Updates.set("a", 1));
            orders.insertOne(new Document("_id", 3));
            assertThat(stream.next().getDocumentKey()).isEqualTo(new BsonDocument("_id", new BsonInt32(3)));
        }
    }

    @Test
    void aQuietStreamsTokenMovesWithWritesItDoesNotShow() {
        MongoCollection<Document> watched = database.getCollection("watched");
        try (var stream =
                watched.watch().maxAwaitTime(100, TimeUnit.MILLISECONDS).cursor()) {
            assertThat(stream.tryNext()).isNull();
            BsonDocument before = stream.getResumeToken();
            database.getCollection("other").insertOne(new Document());
            BsonDocument after = before;
            for (int i = 0; i < 50 && after.equals(before); i++) {
                assertThat(stream.tryNext()).isNull();
                after = stream.getResumeToken();
            }
            assertThat(after).isNotEqualTo(before);
            watched.insertOne(new Document("_id", 7));
            try (var resumed = watched.watch().startAfter(after).cursor()) {
                assertThat(resumed.next().getDocumentKey()).isEqualTo(new BsonDocument("_id", new BsonInt32(7)));
            }
        }
    }

    @Test
    void aDroppedCollectionInvalidatesItsStreamAndStartAfterGoesOn() {
        MongoCollection<Document> orders = database.getCollection("orders");
        orders.insertOne(new Document("_id", 1));
        BsonDocument invalidate;
        try (var stream = orders.watch().cursor()) {
            orders.drop();
            assertThat(stream.next().getOperationType()).isEqualTo(OperationType.DROP);
            ChangeStreamDocument<Document> last = stream.next();
            assertThat(last.getOperationType()).isEqualTo(OperationType.INVALIDATE);
            assertThat(stream.getServerCursor()).isNull();
            invalidate = last.getResumeToken();
        }
        orders.insertOne(new Document("_id", 2));
        try (var resumed = orders.watch().startAfter(invalidate).cursor()) {
            assertThat(resumed.next().getDocumentKey()).isEqualTo(new BsonDocument("_id", new BsonInt32(2)));
        }
        MongoCommandException refused = catchThrowableOfType(
                MongoCommandException.class,
                () -> orders.watch().resumeAfter(invalidate).cursor().close());
        assertThat(refused.getErrorCode()).isEqualTo(260);
    }

    @Test
    void aRenameEndsTheStreamOfItsCollectionButNotOfTheDatabase() {
        MongoCollection<Document> orders = database.getCollection("orders");
        orders.insertOne(new Document("_id", 1));
        try (var stream = orders.watch().cursor();
                var whole = database.watch().cursor()) {
            orders.renameCollection(new com.mongodb.MongoNamespace(database.getName(), "archive"));
            assertThat(stream.next().getOperationType()).isEqualTo(OperationType.RENAME);
            assertThat(stream.next().getOperationType()).isEqualTo(OperationType.INVALIDATE);
            ChangeStreamDocument<Document> rename = whole.next();
            assertThat(rename.getDestinationNamespace().getCollectionName()).isEqualTo("archive");
            database.getCollection("archive").insertOne(new Document("_id", 2));
            assertThat(whole.next().getOperationType()).isEqualTo(OperationType.INSERT);
        }
    }

    @Test
    void droppingTheDatabaseShowsEachCollectionThenTheDatabaseThenInvalidates() {
        database.getCollection("a").insertOne(new Document());
        database.getCollection("b").insertOne(new Document());
        try (var stream = database.watch().cursor()) {
            database.drop();
            assertThat(take(stream, 4))
                    .extracting(ChangeStreamDocument::getOperationType)
                    .containsExactly(
                            OperationType.DROP,
                            OperationType.DROP,
                            OperationType.DROP_DATABASE,
                            OperationType.INVALIDATE);
        }
    }

    @Test
    void aStreamShowsItsCollectionItsDatabaseOrTheWholeCluster() {
        MongoDatabase other = mongo.database();
        try (var collection = database.getCollection("a").watch().cursor();
                var whole = database.watch().cursor();
                var cluster = mongo.client()
                        .watch(List.of(Aggregates.match(Filters.in("ns.db", database.getName(), other.getName()))))
                        .cursor()) {
            other.getCollection("a").insertOne(new Document("_id", 1));
            database.getCollection("b").insertOne(new Document("_id", 2));
            database.getCollection("a").insertOne(new Document("_id", 3));
            assertThat(ids(take(collection, 1))).containsExactly(3);
            assertThat(ids(take(whole, 2))).containsExactly(2, 3);
            assertThat(ids(take(cluster, 3))).containsExactly(1, 2, 3);
        }
    }

    private static List<Integer> ids(List<ChangeStreamDocument<Document>> events) {
        return events.stream()
                .map(event -> event.getDocumentKey().getInt32("_id").getValue())
                .toList();
    }

    @Test
    void updateLookupGivesTheCurrentDocumentOrNullWhenItIsGone() {
        MongoCollection<Document> orders = database.getCollection("orders");
        orders.insertMany(List.of(new Document("_id", 1), new Document("_id", 2)));
        BsonTimestamp start = now();
        orders.updateOne(Filters.eq("_id", 1), Updates.set("v", 1));
        orders.updateOne(Filters.eq("_id", 1), Updates.set("v", 2));
        orders.updateOne(Filters.eq("_id", 2), Updates.set("v", 1));
        orders.deleteOne(Filters.eq("_id", 2));
        writeEnd();
        List<BsonDocument> events = readUntilEnd(database.watch()
                .fullDocument(FullDocument.UPDATE_LOOKUP)
                .startAtOperationTime(new BsonTimestamp(start.getValue() + 1)));
        assertThat(events.get(0).getDocument("fullDocument").getInt32("v").getValue())
                .isEqualTo(2);
        assertThat(events.get(1).getDocument("fullDocument").getInt32("v").getValue())
                .isEqualTo(2);
        assertThat(events.get(2).isNull("fullDocument")).isTrue();
        assertThat(events.get(3).containsKey("fullDocument")).isFalse();
    }

    @Test
    void serverSideMatchAndProjectApply() {
        MongoCollection<Document> orders = database.getCollection("orders");
        List<org.bson.conversions.Bson> pipeline = List.of(
                Aggregates.match(Filters.gte("documentKey._id", 2)),
                Aggregates.project(new Document("fullDocument.secret", 0)));
        try (var stream = orders.watch(pipeline).cursor()) {
            orders.insertMany(List.of(
                    new Document("_id", 1),
                    new Document("_id", 2).append("secret", 1).append("open", 1)));
            ChangeStreamDocument<Document> event = stream.next();
            assertThat(event.getFullDocument()).isEqualTo(new Document("_id", 2).append("open", 1));
        }
    }

    @Test
    void anEventOverSixteenMebibytesFailsTheStreamAndAProjectionGetsPastIt() {
        MongoCollection<Document> big = database.getCollection("big");
        big.insertOne(new Document("_id", 1).append("a", "a".repeat(7 << 20)));
        BsonTimestamp start = now();
        big.updateOne(Filters.eq("_id", 1), Updates.set("b", "b".repeat(8 << 20)));
        ChangeStreamIterable<Document> stream = big.watch()
                .fullDocument(FullDocument.UPDATE_LOOKUP)
                .startAtOperationTime(new BsonTimestamp(start.getValue() + 1));
        MongoCommandException tooLarge = catchThrowableOfType(MongoCommandException.class, () -> {
            try (var cursor = stream.cursor()) {
                cursor.next();
            }
        });
        assertThat(tooLarge.getErrorCode()).isEqualTo(10334);
        try (var cursor = big.watch(List.of(Aggregates.project(new Document("fullDocument", 0))))
                .fullDocument(FullDocument.UPDATE_LOOKUP)
                .startAtOperationTime(new BsonTimestamp(start.getValue() + 1))
                .cursor()) {
            assertThat(cursor.next().getOperationType()).isEqualTo(OperationType.UPDATE);
        }
    }

    @Test
    void lostHistoryIsAnErrorThatSaysSo() {
        DevMongoScript script = mongo.script();
        MongoCollection<Document> orders = database.getCollection("orders");
        try (var stream = orders.watch().cursor()) {
            orders.insertOne(new Document("_id", 1));
            BsonDocument token = stream.next().getResumeToken();
            orders.insertOne(new Document("_id", 2));
            script.rollOplogOver();
            MongoCommandException open = catchThrowableOfType(MongoCommandException.class, stream::next);
            assertThat(open.getErrorCode()).isEqualTo(136);
            MongoCommandException resume = catchThrowableOfType(
                    MongoCommandException.class,
                    () -> orders.watch().resumeAfter(token).cursor().close());
            assertThat(resume.getErrorCode()).isEqualTo(286);
            assertThat(resume.hasErrorLabel("NonResumableChangeStreamError")).isTrue();
        }
    }
}
