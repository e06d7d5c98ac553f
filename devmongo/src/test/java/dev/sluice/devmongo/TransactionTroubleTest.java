package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A transaction ends with its process, its primary or its time; nobody waits for one that cannot end any more. */
class TransactionTroubleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    enum Trouble {
        SHUT_DOWN(DevMongoScript::shutDown, DevMongoScript::start),
        KILL(DevMongoScript::kill, DevMongoScript::start),
        STEP_DOWN(DevMongoScript::stepDown, DevMongoScript::stepUp);

        private final Consumer<DevMongoScript> comes;
        private final Consumer<DevMongoScript> goes;

        Trouble(Consumer<DevMongoScript> comes, Consumer<DevMongoScript> goes) {
            this.comes = comes;
            this.goes = goes;
        }
    }

    private DevMongo server;
    private DevMongoScript script;
    private MongoClient client;
    private MongoCollection<Document> orders;

    private void start(DevMongoBuilder builder) {
        server = builder.start();
        script = server.script();
        client = MongoClients.create(server.connectionString() + "&heartbeatFrequencyMS=500");
        orders = client.getDatabase("app").getCollection("orders");
        orders.insertOne(new Document("_id", 1));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    /** Starts a transaction that has changed order 1 and leaves it open. */
    private ClientSession openTransaction() {
        ClientSession session = client.startSession();
        session.startTransaction();
        orders.updateOne(session, Filters.eq("_id", 1), Updates.set("by", "transaction"));
        return session;
    }

    private CompletableFuture<BsonDocument> writeBesides() {
        return CompletableFuture.supplyAsync(() -> {
            try (RawClient raw = new RawClient(server.port())) {
                return raw.run(BsonDocument.parse(
                        "{update: 'orders', updates: [{q: {_id: 1}, u: {$set: {by: 'writer'}}}], $db: 'app'}"));
            } catch (EOFException closed) {
                return new BsonDocument();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    private Document order() {
        return orders.find(Filters.eq("_id", 1)).first();
    }

    @ParameterizedTest
    @EnumSource
    void anOpenTransactionIsAborted(Trouble trouble) throws Exception {
        start(DevMongo.builder());
        try (ClientSession session = openTransaction()) {
            trouble.comes.accept(script);
            trouble.goes.accept(script);
            assertThat(order()).doesNotContainKey("by");
            BsonDocument written = writeBesides().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(written.getInt32("nModified").getValue()).isEqualTo(1);
            MongoException refused = catchThrowableOfType(MongoException.class, session::commitTransaction);
            assertThat(refused.getCode()).isEqualTo(251);
            assertThat(order()).containsEntry("by", "writer");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWaitingWriteIsWokenAndDoesNotHappen(Trouble trouble) throws Exception {
        start(DevMongo.builder());
        try (ClientSession session = openTransaction()) {
            CompletableFuture<BsonDocument> writer = writeBesides();
            assertThat(script.awaitWaitingWrites(1, PATIENCE)).isTrue();
            trouble.comes.accept(script);
            assertThat(script.awaitWaitingWrites(0, PATIENCE)).isTrue();
            BsonDocument reply = writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            switch (trouble) {
                case SHUT_DOWN -> assertThat(reply.getInt32("code").getValue()).isEqualTo(11600);
                case KILL -> assertThat(reply).isEmpty();
                case STEP_DOWN -> assertThat(reply.getInt32("code").getValue()).isEqualTo(11602);
            }
            trouble.goes.accept(script);
            assertThat(order()).doesNotContainKey("by");
        }
    }

    @Test
    void aWaitingWriteEndsWhenTheServerIsClosed() throws Exception {
        start(DevMongo.builder());
        openTransaction();
        CompletableFuture<BsonDocument> writer = writeBesides();
        assertThat(script.awaitWaitingWrites(1, PATIENCE)).isTrue();
        server.close();
        assertThat(script.awaitWaitingWrites(0, PATIENCE)).isTrue();
        assertThat(writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void aWaitingWriteGoesOnWhenTheTransactionAborts() throws Exception {
        start(DevMongo.builder());
        try (ClientSession session = openTransaction()) {
            CompletableFuture<BsonDocument> writer = writeBesides();
            assertThat(script.awaitWaitingWrites(1, PATIENCE)).isTrue();
            session.abortTransaction();
            writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(order()).containsEntry("by", "writer");
        }
    }

    @Test
    void aForgottenTransactionIsAbortedWhenItsTimeIsOverAndWhoWaitedGoesOn() throws Exception {
        start(DevMongo.builder().transactionLifetime(Duration.ofMillis(300)));
        try (ClientSession session = openTransaction()) {
            BsonDocument written = writeBesides().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(written.getInt32("nModified").getValue()).isEqualTo(1);
            MongoException refused = catchThrowableOfType(MongoException.class, session::commitTransaction);
            assertThat(refused.getCode()).isEqualTo(251);
            assertThat(order()).containsEntry("by", "writer");
        }
    }

    @Test
    void anotherTransactionGetsPastAForgottenOne() {
        start(DevMongo.builder().transactionLifetime(Duration.ofMillis(300)));
        try (ClientSession forgotten = openTransaction();
                ClientSession session = client.startSession()) {
            session.withTransaction(() -> orders.updateOne(session, Filters.eq("_id", 1), Updates.set("by", "second")));
            assertThat(order()).containsEntry("by", "second");
            assertThat(forgotten.hasActiveTransaction()).isTrue();
        }
    }
}
