package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.ChangeStreamPreAndPostImagesOptions;
import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.FullDocumentBeforeChange;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What MongoDB 6.0 and 7.0 added, by their documentation: nothing here was recorded from a real server. */
class NewerFeaturesTest {
    private final DevMongo server = DevMongo.builder().version("7.0").start();
    private final MongoClient client = MongoClients.create(server.connectionString());
    private final MongoDatabase database = client.getDatabase("app");

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private MongoCollection<Document> withImages(String name) {
        database.createCollection(
                name,
                new CreateCollectionOptions()
                        .changeStreamPreAndPostImagesOptions(new ChangeStreamPreAndPostImagesOptions(true)));
        return database.getCollection(name);
    }

    @Test
    void eventsCarryTheirWallTimeFromSixOnAndNotBefore() {
        MongoCollection<Document> orders = database.getCollection("orders");
        try (var stream = orders.watch().cursor()) {
            orders.insertOne(new Document());
            assertThat(stream.next().getWallTime()).isNotNull();
        }
        try (DevMongo old = DevMongo.builder().version("4.4").start();
                MongoClient other = MongoClients.create(old.connectionString())) {
            MongoCollection<Document> collection = other.getDatabase("app").getCollection("orders");
            try (var stream = collection.watch().cursor()) {
                collection.insertOne(new Document());
                assertThat(stream.next().getWallTime()).isNull();
            }
        }
    }

    @Test
    void imagesShowTheDocumentAsItWasAndAsItBecame() {
        MongoCollection<Document> orders = withImages("orders");
        orders.insertOne(new Document("_id", 1).append("v", 1));
        try (var stream = orders.watch()
                .fullDocument(FullDocument.REQUIRED)
                .fullDocumentBeforeChange(FullDocumentBeforeChange.WHEN_AVAILABLE)
                .cursor()) {
            orders.updateOne(Filters.eq("_id", 1), Updates.set("v", 2));
            orders.updateOne(Filters.eq("_id", 1), Updates.set("v", 3));
            orders.deleteOne(Filters.eq("_id", 1));
            ChangeStreamDocument<Document> first = stream.next();
            assertThat(first.getFullDocumentBeforeChange().getInteger("v")).isEqualTo(1);
            assertThat(first.getFullDocument().getInteger("v")).isEqualTo(2);
            assertThat(stream.next().getFullDocument().getInteger("v")).isEqualTo(3);
            assertThat(stream.next().getFullDocumentBeforeChange().getInteger("v"))
                    .isEqualTo(3);
        }
    }

    @Test
    void aRequiredImageThatWasNotKeptFailsTheStream() {
        MongoCollection<Document> orders = database.getCollection("orders");
        orders.insertOne(new Document("_id", 1));
        try (var stream = orders.watch().fullDocument(FullDocument.REQUIRED).cursor()) {
            orders.updateOne(Filters.eq("_id", 1), Updates.set("v", 2));
            MongoCommandException failed = catchThrowableOfType(MongoCommandException.class, stream::next);
            assertThat(failed.getErrorCode()).isEqualTo(47);
        }
    }

    @Test
    void collModTurnsImagesOn() {
        MongoCollection<Document> orders = database.getCollection("orders");
        orders.insertOne(new Document("_id", 1).append("v", 1));
        database.runCommand(Document.parse("{collMod: 'orders', changeStreamPreAndPostImages: {enabled: true}}"));
        try (var stream = orders.watch()
                .fullDocumentBeforeChange(FullDocumentBeforeChange.REQUIRED)
                .cursor()) {
            orders.deleteOne(Filters.eq("_id", 1));
            assertThat(stream.next().getFullDocumentBeforeChange().getInteger("v"))
                    .isEqualTo(1);
        }
    }

    @Test
    void aLargeEventComesInFragmentsAndResumesBetweenThem() {
        MongoCollection<Document> big = database.getCollection("big");
        big.insertOne(new Document("_id", 1).append("a", "a".repeat(7 << 20)));
        List<BsonDocument> split = List.of(BsonDocument.parse("{$changeStreamSplitLargeEvent: {}}"));
        try (var stream =
                big.watch(split).fullDocument(FullDocument.UPDATE_LOOKUP).cursor()) {
            big.updateOne(Filters.eq("_id", 1), Updates.set("b", "b".repeat(8 << 20)));
            ChangeStreamDocument<Document> first = stream.next();
            ChangeStreamDocument<Document> second = stream.next();
            assertThat(first.getSplitEvent().getFragment()).isEqualTo(1);
            assertThat(first.getSplitEvent().getOf()).isEqualTo(2);
            assertThat(second.getSplitEvent().getFragment()).isEqualTo(2);
            assertThat(first.getFullDocument()).isNotNull();
            assertThat(second.getUpdateDescription()).isNotNull();
            assertThat(second.getResumeToken()).isNotEqualTo(first.getResumeToken());
            try (var resumed = big.watch(split)
                    .fullDocument(FullDocument.UPDATE_LOOKUP)
                    .resumeAfter(first.getResumeToken())
                    .cursor()) {
                assertThat(resumed.next().getResumeToken()).isEqualTo(second.getResumeToken());
            }
            big.insertOne(new Document("_id", 2));
            try (var resumed = big.watch(split)
                    .fullDocument(FullDocument.UPDATE_LOOKUP)
                    .startAfter(second.getResumeToken())
                    .cursor()) {
                assertThat(resumed.next().getDocumentKey().getInt32("_id").getValue())
                        .isEqualTo(2);
            }
            MongoCommandException notSplitAgain = catchThrowableOfType(
                    MongoCommandException.class,
                    () -> big.watch(split)
                            .startAfter(first.getResumeToken())
                            .cursor()
                            .close());
            assertThat(notSplitAgain.getErrorCode()).isEqualTo(280);
        }
    }
}
