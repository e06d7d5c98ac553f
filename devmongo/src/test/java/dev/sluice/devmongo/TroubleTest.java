package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.changestream.OperationType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The script interface, and how the official driver lives through what it does. */
class TroubleTest {
    private final DevMongo server =
            DevMongo.builder().noopEvery(Duration.ofMillis(50)).start();
    private final DevMongoScript script = server.script();
    private final MongoClient client = MongoClients.create(server.connectionString() + "&heartbeatFrequencyMS=500");
    private final MongoDatabase database = client.getDatabase("app");
    private final MongoCollection<Document> orders = database.getCollection("orders");

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void aStreamGoesOnAfterAllConnectionsDropped() {
        try (var stream = orders.watch().cursor()) {
            orders.insertOne(new Document("_id", 1));
            assertThat(stream.next().getDocumentKey()).isEqualTo(id(1));
            script.dropConnections();
            orders.insertOne(new Document("_id", 2));
            assertThat(stream.next().getDocumentKey()).isEqualTo(id(2));
        }
    }

    @Test
    void aStreamGoesOnAfterARestartOnTheSamePortWithTheSameData() {
        try (var stream = orders.watch().cursor()) {
            orders.insertOne(new Document("_id", 1));
            assertThat(stream.next().getDocumentKey()).isEqualTo(id(1));
            script.restart();
            orders.insertOne(new Document("_id", 2));
            assertThat(stream.next().getDocumentKey()).isEqualTo(id(2));
            assertThat(orders.countDocuments()).isEqualTo(2);
        }
    }

    @Test
    void theDriverResumesByItselfOnAResumableError() {
        try (var stream = orders.watch().cursor()) {
            script.failNext(1, "getMore", 11600);
            orders.insertOne(new Document("_id", 1));
            assertThat(stream.next().getDocumentKey()).isEqualTo(id(1));
        }
    }

    @Test
    void anErrorWithoutTheLabelReachesTheApplication() {
        try (var stream = orders.watch().cursor()) {
            script.failNext(1, "getMore", 280, List.of("NonResumableChangeStreamError"));
            MongoCommandException failed = catchThrowableOfType(MongoCommandException.class, stream::next);
            assertThat(failed.getErrorCode()).isEqualTo(280);
            assertThat(failed.hasErrorLabel("NonResumableChangeStreamError")).isTrue();
        }
    }

    @Test
    void aRetryableWriteSurvivesAClosedConnectionAndARetryableError() {
        script.closeOnNext(1, "insert");
        orders.insertOne(new Document("_id", 1));
        script.failNext(1, "insert", 10107);
        orders.insertOne(new Document("_id", 2));
        assertThat(orders.countDocuments()).isEqualTo(2);
    }

    @Test
    void theSameRetryableWriteSentTwiceHappensOnce() throws Exception {
        try (RawClient raw = new RawClient(server.port());
                var stream = orders.watch().cursor()) {
            BsonDocument insert = new BsonDocument("insert", new BsonString("orders"))
                    .append("documents", new org.bson.BsonArray(List.of(id(1))))
                    .append("$db", new BsonString("app"))
                    .append("lsid", new BsonDocument("id", new org.bson.BsonBinary(java.util.UUID.randomUUID())))
                    .append("txnNumber", new BsonInt64(1));
            BsonDocument first = raw.run(insert);
            BsonDocument again = raw.run(insert);
            assertThat(again.getInt32("n")).isEqualTo(first.getInt32("n")).isEqualTo(new BsonInt32(1));
            assertThat(again.containsKey("writeErrors")).isFalse();
            orders.insertOne(new Document("_id", 2));
            assertThat(stream.next().getDocumentKey()).isEqualTo(id(1));
            assertThat(stream.next().getDocumentKey()).isEqualTo(id(2));
        }
    }

    @Test
    void writesWaitForTheNextPrimaryAfterAStepDown() throws Exception {
        orders.insertOne(new Document("_id", 1));
        script.stepDown();
        CompletableFuture<Void> write = CompletableFuture.runAsync(() -> orders.insertOne(new Document("_id", 2)));
        try (RawClient raw = new RawClient(server.port())) {
            BsonDocument refused = raw.run(BsonDocument.parse("{insert: 'orders', documents: [{_id: 3}], $db: 'app'}"));
            assertThat(refused.getInt32("code").getValue()).isEqualTo(10107);
        }
        script.stepUp();
        write.get(10, TimeUnit.SECONDS);
        assertThat(orders.countDocuments()).isEqualTo(2);
    }

    @Test
    void aStalledServerAnswersNothingUntilItResumes() throws Exception {
        orders.insertOne(new Document("_id", 1));
        script.stall();
        CompletableFuture<Void> write = CompletableFuture.runAsync(() -> orders.insertOne(new Document("_id", 2)));
        assertThat(catchThrowableOfType(
                        java.util.concurrent.TimeoutException.class, () -> write.get(200, TimeUnit.MILLISECONDS)))
                .isNotNull();
        script.resume();
        write.get(10, TimeUnit.SECONDS);
    }

    @Test
    void theNextEventsCanComeTwice() {
        try (var stream = orders.watch().cursor()) {
            script.duplicateNext(1);
            orders.insertOne(new Document("_id", 1));
            orders.insertOne(new Document("_id", 2));
            var first = stream.next();
            assertThat(stream.next().getResumeToken()).isEqualTo(first.getResumeToken());
            assertThat(stream.next().getDocumentKey()).isEqualTo(id(2));
        }
    }

    @Test
    void anEventMadeByHandArrivesAsItIs() {
        try (var stream = database.watch().cursor()) {
            script.emit(BsonDocument.parse(
                    "{operationType: 'delete', ns: {db: 'app', coll: 'ghosts'}, documentKey: {_id: 9}}"));
            var event = stream.next();
            assertThat(event.getOperationType()).isEqualTo(OperationType.DELETE);
            assertThat(event.getNamespace().getCollectionName()).isEqualTo("ghosts");
            assertThat(event.getDocumentKey()).isEqualTo(id(9));
        }
    }

    @Test
    void aQuietServerMovesItsStreamsByNoops() {
        try (var stream =
                orders.watch().maxAwaitTime(100, TimeUnit.MILLISECONDS).cursor()) {
            assertThat(stream.tryNext()).isNull();
            BsonDocument before = stream.getResumeToken();
            BsonDocument after = before;
            for (int i = 0; i < 100 && after.equals(before); i++) {
                assertThat(stream.tryNext()).isNull();
                after = stream.getResumeToken();
            }
            assertThat(after).isNotEqualTo(before);
        }
    }

    @Test
    void failPointsCanBeSetByCommandAsDriverTestsDo() {
        client.getDatabase("admin")
                .runCommand(
                        Document.parse(
                                "{configureFailPoint: 'failCommand', mode: {times: 1}, data: {failCommands: ['count'], errorCode: 13}}"));
        MongoCommandException failed =
                catchThrowableOfType(MongoCommandException.class, orders::estimatedDocumentCount);
        assertThat(failed.getErrorCode()).isEqualTo(13);
        assertThat(orders.estimatedDocumentCount()).isZero();
    }

    @Test
    void aStandaloneHasNoChangeStreams() {
        try (DevMongo alone = DevMongo.builder().standalone().start();
                MongoClient other = MongoClients.create(alone.connectionString())) {
            MongoCollection<Document> collection = other.getDatabase("app").getCollection("a");
            collection.insertOne(new Document());
            MongoException refused = catchThrowableOfType(
                    MongoException.class, () -> collection.watch().cursor().close());
            assertThat(refused.getCode()).isEqualTo(40573);
        }
    }

    @Test
    void credentialsAreRefusedClearly() {
        try (MongoClient stranger =
                MongoClients.create("mongodb://user:secret@" + server.address() + "/?serverSelectionTimeoutMS=2000")) {
            MongoException refused = catchThrowableOfType(
                    MongoException.class,
                    () -> stranger.getDatabase("app").getCollection("a").countDocuments());
            assertThat(refused).hasStackTraceContaining("devmongo has no users");
        }
    }

    private static BsonDocument id(int id) {
        return new BsonDocument("_id", new BsonInt32(id));
    }
}
