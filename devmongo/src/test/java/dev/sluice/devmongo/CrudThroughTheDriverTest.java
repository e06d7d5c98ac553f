package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoWriteException;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.Updates;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Ordinary reads and writes through the official driver, on devmongo or on the server MONGODB_URI names. */
class CrudThroughTheDriverTest {
    private static MongoUnderTest mongo;

    private final MongoDatabase database = mongo.database();
    private final MongoCollection<Document> things = database.getCollection("things");

    @BeforeAll
    static void start() {
        mongo = new MongoUnderTest();
    }

    @AfterAll
    static void stop() {
        mongo.close();
    }

    @Test
    void manyDocumentsComeBackOverSeveralBatchesInOrder() {
        things.insertMany(IntStream.range(0, 1000)
                .mapToObj(i -> new Document("_id", i).append("v", i % 10))
                .toList());
        List<Integer> ids = things.find(Filters.eq("v", 3))
                .sort(Sorts.descending("_id"))
                .skip(1)
                .limit(50)
                .batchSize(7)
                .map(document -> document.getInteger("_id"))
                .into(new ArrayList<>());
        assertThat(ids).hasSize(50).startsWith(983, 973).isSortedAccordingTo((a, b) -> b - a);
        assertThat(things.countDocuments(Filters.lt("_id", 100))).isEqualTo(100);
        assertThat(things.estimatedDocumentCount()).isEqualTo(1000);
        assertThat(things.distinct("v", Integer.class).into(new ArrayList<>()))
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void aWriteThatFindsNothingMakesNoCollection() {
        things.updateOne(Filters.eq("_id", 1), Updates.set("a", 1));
        things.findOneAndUpdate(Filters.eq("_id", 1), Updates.set("a", 1));
        things.deleteOne(Filters.eq("_id", 1));
        assertThat(database.listCollectionNames().into(new ArrayList<>())).isEmpty();
    }

    @Test
    void aBulkWriteCountsWhatItDid() {
        BulkWriteResult result = things.bulkWrite(List.of(
                new InsertOneModel<>(new Document("_id", 1)),
                new InsertOneModel<>(new Document("_id", 2)),
                new UpdateOneModel<>(Filters.eq("_id", 1), Updates.set("a", 1)),
                new DeleteOneModel<>(Filters.eq("_id", 2))));
        assertThat(result.getInsertedCount()).isEqualTo(2);
        assertThat(result.getModifiedCount()).isEqualTo(1);
        assertThat(result.getDeletedCount()).isEqualTo(1);
        assertThat(things.find().first()).isEqualTo(new Document("_id", 1).append("a", 1));
    }

    @Test
    void findAndUpdateReturnsBeforeOrAfterAndUpserts() {
        things.insertOne(new Document("_id", 1).append("n", 1));
        assertThat(things.findOneAndUpdate(Filters.eq("_id", 1), Updates.inc("n", 1))
                        .getInteger("n"))
                .isEqualTo(1);
        Document after = things.findOneAndUpdate(
                Filters.eq("_id", 2),
                Updates.inc("n", 5),
                new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER));
        assertThat(after).isEqualTo(new Document("_id", 2).append("n", 5));
        assertThat(things.findOneAndDelete(Filters.eq("_id", 2))).isEqualTo(after);
        assertThat(things.findOneAndDelete(Filters.eq("_id", 2))).isNull();
    }

    @Test
    void aDuplicateIdOrUniqueKeyIsRefused() {
        things.createIndex(Indexes.ascending("mail"), new IndexOptions().unique(true));
        things.insertOne(new Document("_id", 1).append("mail", "a"));
        MongoWriteException sameId = catchThrowableOfType(
                MongoWriteException.class, () -> things.insertOne(new Document("_id", 1).append("mail", "b")));
        MongoWriteException sameMail = catchThrowableOfType(
                MongoWriteException.class, () -> things.insertOne(new Document("_id", 2).append("mail", "a")));
        assertThat(sameId.getCode()).isEqualTo(11000);
        assertThat(sameMail.getCode()).isEqualTo(11000);
        assertThat(sameMail.getMessage()).contains("dup key: { mail: \"a\" }");
        things.deleteOne(Filters.eq("_id", 1));
        things.insertOne(new Document("_id", 2).append("mail", "a"));
        assertThat(things.listIndexes().into(new ArrayList<>())).hasSize(2);
    }

    @Test
    void anAggregationGroups() {
        things.insertMany(List.of(
                new Document("k", "a").append("n", 1),
                new Document("k", "b").append("n", 2),
                new Document("k", "a").append("n", 3)));
        List<Document> sums = things.aggregate(List.of(
                        Aggregates.group("$k", Accumulators.sum("sum", "$n")), Aggregates.sort(Sorts.ascending("_id"))))
                .into(new ArrayList<>());
        assertThat(sums)
                .containsExactly(new Document("_id", "a").append("sum", 4), new Document("_id", "b").append("sum", 2));
    }

    @Test
    void collectionsAndDatabasesAreListed() {
        database.createCollection("one");
        things.insertOne(new Document());
        assertThat(database.listCollectionNames().into(new ArrayList<>())).contains("one", "things");
        assertThat(mongo.client().listDatabaseNames().into(new ArrayList<>())).contains(database.getName());
        assertThat(catchThrowableOfType(MongoCommandException.class, () -> database.createCollection("one"))
                        .getErrorCode())
                .isEqualTo(48);
        database.drop();
        assertThat(mongo.client().listDatabaseNames().into(new ArrayList<>())).doesNotContain(database.getName());
    }

    @Test
    void aTransactionSeesItsOwnWritesAndOthersDoNotUntilItCommits() {
        things.insertOne(new Document("_id", 1).append("n", 1));
        try (ClientSession session = mongo.client().startSession()) {
            session.startTransaction();
            things.updateOne(session, Filters.eq("_id", 1), Updates.set("n", 2));
            things.insertOne(session, new Document("_id", 2));
            things.insertOne(session, new Document("_id", 3));
            things.deleteOne(session, Filters.eq("_id", 3));
            assertThat(things.countDocuments(session)).isEqualTo(2);
            assertThat(things.find(session, Filters.eq("_id", 1)).first().getInteger("n"))
                    .isEqualTo(2);
            assertThat(things.find().into(new ArrayList<>())).containsExactly(new Document("_id", 1).append("n", 1));
            session.commitTransaction();
        }
        assertThat(things.find().into(new ArrayList<>()))
                .containsExactly(new Document("_id", 1).append("n", 2), new Document("_id", 2));
    }

    @Test
    void aTransactionReadsTheSnapshotItStartedFrom() {
        things.insertOne(new Document("_id", 1).append("n", 1));
        try (ClientSession session = mongo.client().startSession()) {
            session.startTransaction();
            assertThat(things.find(session).first().getInteger("n")).isEqualTo(1);
            things.updateOne(Filters.eq("_id", 1), Updates.set("n", 2));
            assertThat(things.find(session).first().getInteger("n")).isEqualTo(1);
            MongoCommandException conflict = catchThrowableOfType(
                    MongoCommandException.class,
                    () -> things.updateOne(session, Filters.eq("_id", 1), Updates.set("n", 3)));
            assertThat(conflict.getErrorCode()).isEqualTo(112);
            assertThat(conflict.hasErrorLabel("TransientTransactionError")).isTrue();
            session.abortTransaction();
        }
        assertThat(things.find().first().getInteger("n")).isEqualTo(2);
    }

    @Test
    void twoTransactionsThatWriteOneDocumentConflict() {
        things.insertOne(new Document("_id", 1));
        try (ClientSession first = mongo.client().startSession();
                ClientSession second = mongo.client().startSession()) {
            first.startTransaction();
            second.startTransaction();
            things.updateOne(first, Filters.eq("_id", 1), Updates.set("by", "first"));
            MongoCommandException conflict = catchThrowableOfType(
                    MongoCommandException.class,
                    () -> things.updateOne(second, Filters.eq("_id", 1), Updates.set("by", "second")));
            assertThat(conflict.getErrorCode()).isEqualTo(112);
            first.commitTransaction();
        }
        assertThat(things.find().first().getString("by")).isEqualTo("first");
    }

    @Test
    void anAbortedTransactionLeavesNothingAndCannotGoOn() {
        try (ClientSession session = mongo.client().startSession()) {
            database.createCollection("things");
            session.startTransaction();
            things.insertOne(session, new Document("_id", 1));
            session.abortTransaction();
        }
        assertThat(things.countDocuments()).isZero();
    }

    @Test
    void anOrdinaryWriteWaitsForTheTransactionThatHoldsItsDocument() throws Exception {
        things.insertOne(new Document("_id", 1).append("n", 1));
        try (ClientSession session = mongo.client().startSession()) {
            session.startTransaction();
            things.updateOne(session, Filters.eq("_id", 1), Updates.inc("n", 10));
            CompletableFuture<Void> ordinary =
                    CompletableFuture.runAsync(() -> things.updateOne(Filters.eq("_id", 1), Updates.inc("n", 100)));
            assertThat(catchThrowableOfType(TimeoutException.class, () -> ordinary.get(200, TimeUnit.MILLISECONDS)))
                    .isNotNull();
            session.commitTransaction();
            ordinary.get(10, TimeUnit.SECONDS);
        }
        assertThat(things.find().first().getInteger("n")).isEqualTo(111);
    }
}
