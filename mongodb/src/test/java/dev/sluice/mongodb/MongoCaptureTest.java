package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.model.ChangeStreamPreAndPostImagesOptions;
import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.Updates;
import dev.sluice.capture.CaptureStatus;
import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.StartPoint;
import dev.sluice.capture.TenantRule;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.log.EventRecord;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What capture makes of a server's changes, through the official driver. */
class MongoCaptureTest {

    @Test
    void everyKindOfChangeArrivesAsItHappened() {
        try (Rig rig = Rig.start()) {
            rig.collection("orders").insertOne(new Document("_id", "o1").append("n", 1));
            rig.collection("orders").updateOne(new Document("_id", "o1"), Updates.set("n", 2));
            rig.untilLogged(2);
            rig.collection("orders").replaceOne(new Document("_id", "o1"), new Document("n", 3));
            rig.collection("orders").deleteOne(new Document("_id", "o1"));
            rig.untilLogged(4);
            assertThat(rig.operations())
                    .containsExactly(Operation.INSERT, Operation.UPDATE, Operation.REPLACE, Operation.DELETE);
            EventRecord update = rig.logged().get(1);
            assertThat(update.lookup()).isTrue();
            assertThat(update.document().view().getInt32("n").getValue()).isEqualTo(2);
            assertThat(update.updateDescription().toJson()).contains("updatedFields");
            assertThat(rig.logged().get(0).lookup()).isFalse();
            assertThat(rig.logged().get(3).document()).isNull();
            assertThat(update.collection()).isEqualTo("orders");
            assertThat(update.timestamp()).isPositive();
        }
    }

    /** So that batches grow; the first event after a pause waits for nothing. */
    @Test
    void aSourceWithoutBacklogIsReadOncePerInterval() {
        Duration interval = Duration.ofMinutes(1);
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withBatchSize(2).withBatchInterval(interval))
                    .opened();
            rig.insert("orders", "a");
            assertThat(rig.pauseWhenLogged(1)).isBetween(interval.dividedBy(2), interval);
            rig.insert("orders", "b", "c", "d");
            assertThat(rig.pauseWhenLogged(3)).describedAs("after a full batch").isZero();
            assertThat(rig.pauseWhenLogged(4)).isPositive();
        }
    }

    /** Row 12: the document that is gone when it is looked up stays absent, and nobody calls that a lookup. */
    @Test
    void anUpdateOfADocumentThatIsGoneHasNoDocument() {
        try (Rig rig = Rig.start()) {
            rig.collection("orders").insertOne(new Document("_id", "o1").append("n", 1));
            rig.collection("orders").updateOne(new Document("_id", "o1"), Updates.set("n", 2));
            rig.collection("orders").deleteOne(new Document("_id", "o1"));
            rig.untilLogged(3);
            assertThat(rig.logged().get(1).document()).isNull();
            assertThat(rig.logged().get(1).lookup()).isFalse();
            assertThat(rig.logged().get(1).updateDescription()).isNotNull();
        }
    }

    /** Row 2: all events of a transaction share their time; their ids tell them apart, also when read again. */
    @Test
    void aTransactionOfAThousandOperationsOverManyBatchesIsWholeAfterACrashInItsMiddle() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withBatchSize(64)).opened();
            rig.transaction("orders", 0, 1000);
            rig.untilLogged(100).restart().untilLogged(300).restart().untilLogged(1000);
            assertThat(rig.documents())
                    .isEqualTo(IntStream.range(0, 1000).mapToObj(k -> "t" + k).toList());
            assertThat(rig.logged().stream().map(EventRecord::clusterTime).distinct())
                    .hasSize(1);
            assertThat(rig.logged()).allMatch(event -> event.txnNumber().isPresent());
        }
    }

    @Test
    void repeatsSentByTheSourceAreDroppedAndCounted() {
        try (Rig rig = Rig.start()) {
            rig.script().duplicateNext(3);
            rig.insert("orders", "a", "b", "c", "d");
            rig.untilLogged(4).steps(3);
            assertThat(rig.documents()).containsExactly("a", "b", "c", "d");
            assertThat(rig.repeats()).isEqualTo(3);
        }
    }

    /** Row 4: saved although nothing came for us. */
    @Test
    void thePositionMovesOnWhileOnlyOthersWrite() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withFilter(CollectionFilter.including("orders")))
                    .opened();
            Checkpoint before = rig.log.state().checkpoint();
            rig.insert("audit", 1, 2, 3);
            rig.until(() -> !rig.log.state().checkpoint().equals(before));
            assertThat(rig.log.state().events()).isZero();
            assertThat(rig.log.state().capturedThrough()).isGreaterThan(before.time());
        }
    }

    /** Row 13: with `ns.coll $in` alone the server would close this stream without a word. */
    @Test
    void droppingTheDatabaseBehindAnIncludeFilterIsSeenAndSurvived() {
        try (Rig rig = new Rig(DevMongo.builder().version("4.4"))) {
            rig.restart(settings -> settings.withFilter(CollectionFilter.including("orders")))
                    .opened();
            rig.insert("orders", "a");
            rig.insert("audit", "x");
            rig.database().drop();
            rig.insert("orders", "b");
            rig.until(() -> rig.documents().size() == 2);
            assertThat(rig.operations())
                    .containsExactly(
                            Operation.INSERT, Operation.DROP, Operation.DROP, Operation.INVALIDATE, Operation.INSERT);
            assertThat(rig.logged().get(2).collection()).isEmpty();
            rig.restart().insert("orders", "c");
            rig.until(() -> rig.documents().size() == 3);
        }
    }

    @Test
    void aRenameIntoAWatchedCollectionIsAResyncOfIt() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withFilter(CollectionFilter.including("orders")))
                    .opened();
            rig.insert("staging", "a", "b");
            rig.collection("staging").renameCollection(new com.mongodb.MongoNamespace("app", "orders"));
            rig.untilLogged(2);
            assertThat(rig.operations()).containsExactly(Operation.RENAME, Operation.RESYNC);
            EventRecord rename = rig.logged().get(0);
            assertThat(rename.collection()).isEqualTo("staging");
            assertThat(rename.updateDescription().view().getDocument("to").getString("coll"))
                    .isEqualTo(new BsonString("orders"));
            assertThat(rig.logged().get(1).collection()).isEqualTo("orders");
        }
    }

    @Test
    void controlEventsOfCollectionsNobodyWatchesAreLeftOut() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withFilter(CollectionFilter.excluding("audit")))
                    .opened();
            rig.insert("audit", "x");
            rig.collection("audit").drop();
            rig.insert("orders", "a");
            rig.untilLogged(1);
            assertThat(rig.operations()).containsExactly(Operation.INSERT);
        }
    }

    @Test
    void manyCollectionsKeepTheirNames() {
        try (Rig rig = Rig.start()) {
            for (int k = 0; k < 60; k++) {
                rig.insert("collection_" + k, k);
            }
            rig.untilLogged(60);
            for (int k = 0; k < 60; k++) {
                assertThat(rig.logged().get(k).collection()).isEqualTo("collection_" + k);
                assertThat(rig.documents().get(k)).isEqualTo("{\"$numberInt\":\"" + k + "\"}");
            }
        }
    }

    @Test
    void theTenantComesFromTheDocumentAndIsRememberedForItsDelete() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withTenant(new TenantRule.Field("org.id")))
                    .opened();
            rig.collection("orders")
                    .insertOne(new Document("_id", "a").append("org", new Document(Map.of("id", "acme"))));
            rig.collection("orders").deleteOne(new Document("_id", "a"));
            rig.insert("orders", "no tenant");
            rig.untilLogged(3);
            assertThat(rig.logged().stream().map(EventRecord::tenant)).containsExactly("acme", "acme", "");
        }
    }

    @Test
    void aDocumentThatLacksItsTenantFieldHasNoTenantWhateverItHadBefore() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withTenant(new TenantRule.Field("org")))
                    .opened();
            rig.collection("orders").insertOne(new Document("_id", "a").append("org", "acme"));
            rig.untilLogged(1);
            rig.collection("orders").updateOne(new Document("_id", "a"), Updates.unset("org"));
            rig.untilLogged(2);
            rig.collection("orders").deleteOne(new Document("_id", "a"));
            rig.untilLogged(3);
            assertThat(rig.logged().stream().map(EventRecord::tenant)).containsExactly("acme", "", "");
        }
    }

    @Test
    void whatWasSeenOfACollectionIsForgottenWhenItIsDroppedOrRenamed() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withTenant(new TenantRule.Field("org")))
                    .opened();
            for (String collection : List.of("dropped", "renamed", "kept")) {
                rig.collection(collection).insertOne(new Document("_id", collection).append("org", "acme"));
            }
            rig.collection("dropped").drop();
            rig.collection("renamed").renameCollection(new com.mongodb.MongoNamespace("app", "other"));
            for (String collection : List.of("dropped", "renamed", "kept")) {
                rig.script()
                        .emit(BsonDocument.parse("{operationType: 'delete', ns: {db: 'app', coll: '" + collection
                                + "'}, documentKey: {_id: '" + collection + "'}}"));
            }
            rig.until(() -> rig.documents().size() == 6);
            assertThat(rig.logged().stream()
                            .filter(event -> event.operation() == Operation.DELETE)
                            .map(EventRecord::tenant))
                    .containsExactly("", "", "acme");
        }
    }

    @Test
    void aReconnectForgetsNoTenant() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withTenant(new TenantRule.Field("org")))
                    .opened();
            rig.collection("orders").insertOne(new Document("_id", "a").append("org", "acme"));
            rig.untilLogged(1);
            rig.script().failNext(1, "getMore", 43);
            rig.until(() -> rig.counters().reconnects() == 1);
            rig.collection("orders").deleteOne(new Document("_id", "a"));
            rig.untilLogged(2);
            assertThat(rig.logged().get(1).tenant()).isEqualTo("acme");
        }
    }

    /** In the gap the document may have moved to another tenant. */
    @Test
    void tenantsAreForgottenWhereChangesAreMissing() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withTenant(new TenantRule.Field("org")))
                    .opened();
            rig.collection("orders").insertOne(new Document("_id", "x").append("org", "a"));
            rig.untilLogged(1);
            rig.collection("orders").updateOne(new Document("_id", "x"), Updates.set("org", "b"));
            rig.script().rollOplogOver();
            rig.until(() -> rig.operations().contains(Operation.RESYNC));
            rig.collection("orders").deleteOne(new Document("_id", "x"));
            rig.until(() -> rig.operations().contains(Operation.DELETE));
            assertThat(rig.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.DELETE);
            assertThat(rig.logged().getLast().tenant()).isEmpty();
        }
    }

    /** Read once more from an older position, a delete must not be given the tenant of a later document. */
    @Test
    void tenantsAreForgottenWhereChangesAreReadAgain() throws Exception {
        try (Rig rig = Rig.start();
                MongoChangeSource source =
                        new MongoChangeSource(rig.settings.withTenant(new TenantRule.Field("org")))) {
            Checkpoint before;
            try (ChangeCursor first = source.open(new StartPoint.Now())) {
                rig.collection("orders").insertOne(new Document("_id", "x").append("org", "a"));
                before = events(first, 1).reached();
                rig.collection("orders").deleteOne(new Document("_id", "x"));
                rig.collection("orders").insertOne(new Document("_id", "x").append("org", "b"));
                assertThat(events(first, 2).events().getFirst().tenant()).isEqualTo("a");
            }
            try (ChangeCursor again = source.open(new StartPoint.After(before))) {
                EventRecord delete = events(again, 2).events().getFirst();
                assertThat(delete.operation()).isEqualTo(Operation.DELETE);
                assertThat(delete.tenant()).isEmpty();
            }
        }
    }

    /** Reads on until so many came; the position is behind the last of them. */
    private static SourceBatch events(ChangeCursor cursor, int count) throws SourceException {
        List<EventRecord> events = new ArrayList<>();
        while (true) {
            SourceBatch batch = cursor.next();
            events.addAll(batch.events());
            if (events.size() >= count) {
                return new SourceBatch(events, batch.reached(), batch.sourceTime(), batch.ending());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{$set: {'org.id': 'b'}}",
                "{$set: {org: {id: 'b'}}}",
                "{$unset: {'org.id': 1}}",
                "{$unset: {org: 1}}"
            })
    void anUpdateThatMovedAGoneDocumentToAnotherTenantHasNone(String update) {
        assertThat(tenantsOfALateReading(update)).containsExactly("a", "", "");
    }

    @Test
    void anUpdateOfOtherFieldsOfAGoneDocumentHasItsLastTenant() {
        assertThat(tenantsOfALateReading("{$set: {organisation: 'b', 'of.org': 1}, $unset: {orga: 1}}"))
                .containsExactly("a", "a", "a");
    }

    /** All is read when the document is gone, so that the update cannot be looked up. */
    private static List<String> tenantsOfALateReading(String update) {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withTenant(new TenantRule.Field("org.id")))
                    .opened();
            rig.collection("orders").insertOne(Document.parse("{_id: 'x', org: {id: 'a'}, orga: 1}"));
            rig.collection("orders").updateOne(new Document("_id", "x"), Document.parse(update));
            rig.collection("orders").deleteOne(new Document("_id", "x"));
            rig.untilLogged(3);
            assertThat(rig.logged().get(1).document()).isNull();
            return rig.logged().stream().map(EventRecord::tenant).toList();
        }
    }

    /** Row 12: the document that belongs to its event, not a later one. */
    @Test
    void imagesShowEachUpdateItsOwnDocumentAndADeleteItsTenant() {
        try (Rig rig = new Rig(DevMongo.builder().version("7.0"))) {
            rig.restart(settings -> settings.withImages(Images.WHEN_AVAILABLE).withTenant(new TenantRule.Field("org")))
                    .opened();
            keepsImages(rig, "orders");
            rig.collection("orders")
                    .insertOne(new Document("_id", "a").append("n", 1).append("org", "acme"));
            rig.collection("orders").updateOne(new Document("_id", "a"), Updates.set("n", 2));
            rig.collection("orders").updateOne(new Document("_id", "a"), Updates.set("n", 3));
            rig.untilLogged(3).restart();
            rig.collection("orders").deleteOne(new Document("_id", "a"));
            rig.untilLogged(4);
            EventRecord first = rig.logged().get(1);
            assertThat(first.document().view().getInt32("n").getValue()).isEqualTo(2);
            assertThat(first.lookup()).isFalse();
            assertThat(rig.logged().get(3).tenant()).isEqualTo("acme");
            assertThat(rig.logged().get(0).before()).isNull();
            assertThat(first.before().view().getInt32("n").getValue()).isEqualTo(1);
            assertThat(rig.logged().get(3).before().view().getInt32("n").getValue())
                    .isEqualTo(3);
            rig.collection("plain").insertOne(new Document("_id", "p"));
            rig.collection("plain").updateOne(new Document("_id", "p"), Updates.set("n", 2));
            rig.untilLogged(6);
            assertThat(rig.logged().get(5).document()).isNull();
            assertThat(rig.logged().get(5).before()).isNull();
            assertThat(rig.logged().get(5).updateDescription()).isNotNull();
        }
    }

    @Test
    void requiredImagesThatACollectionDoesNotKeepAreAConfigurationError() {
        try (Rig rig = new Rig(DevMongo.builder().version("7.0"))) {
            rig.restart(settings -> settings.withImages(Images.REQUIRED)).opened();
            keepsImages(rig, "orders");
            rig.insert("orders", "a");
            rig.collection("orders").updateOne(new Document("_id", "a"), Updates.set("n", 2));
            rig.untilLogged(2);
            rig.insert("plain", "p");
            rig.collection("plain").updateOne(new Document("_id", "p"), Updates.set("n", 2));
            rig.until(() -> rig.loop().state().status() == CaptureStatus.MISCONFIGURED);
            assertThat(rig.loop().state().reason()).contains("changeStreamPreAndPostImages", "when_available");
            rig.restart(settings -> settings.withImages(Images.WHEN_AVAILABLE)).untilLogged(4);
            assertThat(rig.documents()).containsExactly("a", "a", "p", "p");
        }
    }

    private static void keepsImages(Rig rig, String collection) {
        rig.database()
                .createCollection(
                        collection,
                        new CreateCollectionOptions()
                                .changeStreamPreAndPostImagesOptions(new ChangeStreamPreAndPostImagesOptions(true)));
    }

    @Test
    void imagesOfAServerThatHasNoneAreAConfigurationError() {
        try (Rig rig = new Rig(DevMongo.builder().version("4.4"))) {
            rig.restart(settings -> settings.withImages(Images.WHEN_AVAILABLE)).steps(2);
            assertThat(rig.loop().state().status()).isEqualTo(CaptureStatus.MISCONFIGURED);
            assertThat(rig.loop().state().reason()).contains("images need MongoDB 6.0 or newer", "4.4.29");
        }
    }

    @Test
    void theTenantMayStandInTheIdOrBeTheDatabaseOrOneForAll() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withTenant(new TenantRule.IdPrefix(":")))
                    .opened();
            rig.insert("orders", "acme:1", "none");
            rig.untilLogged(2);
            rig.restart(settings -> settings.withTenant(new TenantRule.Database()));
            rig.insert("orders", "x");
            rig.untilLogged(3);
            rig.restart(settings -> settings.withTenant(new TenantRule.Constant("one")));
            rig.insert("orders", "y");
            rig.untilLogged(4);
            assertThat(rig.logged().stream().map(EventRecord::tenant)).containsExactly("acme", "", "app", "one");
        }
    }

    /** Row 14, where the server cannot split: 4.4 as recorded. */
    @Test
    void anEventBeyondTheServersLimitIsPassedWithoutItsDocument() {
        oversized("4.4", false);
    }

    /** Row 14, where it can: the fragments are one event again. */
    @Test
    void anEventBeyondTheServersLimitIsJoinedFromItsFragments() {
        oversized("7.0", true);
    }

    private static void oversized(String version, boolean whole) {
        try (Rig rig = Rig.start(builder -> builder.version(version))) {
            // A slow machine takes its time over megabytes.
            rig.restart(settings -> settings.withTimes(settings.maxAwait(), Duration.ofSeconds(20)));
            String big = "x".repeat(7 << 20);
            rig.collection("orders").insertOne(new Document("_id", "big").append("a", big));
            rig.untilLogged(1);
            rig.insert("orders", "before");
            rig.collection("orders").updateOne(new Document("_id", "big"), Updates.set("b", big + "yyy"));
            rig.insert("orders", "after");
            rig.untilLogged(4);
            assertThat(rig.documents()).containsExactly("big", "before", "big", "after");
            EventRecord update = rig.logged().get(2);
            assertThat(update.updateDescription()).isNotNull();
            RawBson document = update.document();
            assertThat(document == null).isNotEqualTo(whole);
            rig.insert("orders", "later");
            rig.untilLogged(5).restart().insert("orders", "last");
            rig.untilLogged(6);
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    /** Under a steady load no reply is ever empty: the events asked for at first are passed, and so is the large one. */
    @Test
    void readingOneByOneEndsBehindTheEventsThatWereAskedForTogether() throws Exception {
        try (Rig rig = Rig.start();
                MongoChangeSource source = new MongoChangeSource(rig.settings.withBatchSize(5))) {
            try (ChangeCursor cursor = source.open(new StartPoint.Now())) {
                cursor.next();
                rig.script().preload(Rig.DATABASE, "orders", 30, 10);
                rig.script().failNext(1, "getMore", MongoFailures.TOO_LARGE);
                List<Integer> sizes = new ArrayList<>();
                for (int events = 0; events < 30; events += sizes.getLast()) {
                    sizes.add(cursor.next().events().size());
                }
                assertThat(sizes).containsExactly(1, 1, 1, 1, 1, 5, 5, 5, 5, 5);
            }
        }
    }

    /** One field alone exceeds a fragment: 6.0.9 and later refuse to split such an event with 7182500. */
    @Test
    void anEventThatTheServerCannotSplitIsPassedWithoutItsDocument() {
        try (Rig rig = Rig.start()) {
            rig.insert("orders", "before", "too large");
            rig.script().failNext(1, "getMore", 7182500);
            rig.script().failNext(2, "aggregate", 7182500);
            rig.untilLogged(2);
            assertThat(rig.documents()).containsExactly("before", "too large");
            assertThat(rig.counters().connectionFailures()).isZero();
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    /** What the majority does not have yet cannot be read, and is not captured. */
    @Test
    void anEmptyReplyWhileTheMajorityLagsDoesNotSetTheLagToZero() {
        Instant begin = Instant.now();
        AtomicLong seconds = new AtomicLong();
        try (Rig rig = Rig.start(builder -> builder.clock(() -> begin.plusSeconds(seconds.get())))) {
            rig.script().holdCommitted(rig.script().newest());
            seconds.set(100);
            rig.insert("orders", "applied only");
            rig.steps(3);
            assertThat(rig.loop().state().lag()).isGreaterThan(Duration.ofSeconds(90));
            assertThat(rig.loop().state().status()).isEqualTo(CaptureStatus.LAGGING);
            rig.script().holdCommitted(null);
            rig.untilLogged(1).steps(3);
            assertThat(rig.loop().state().status()).isEqualTo(CaptureStatus.HEALTHY);
        }
    }

    @Test
    void anEventMadeByHandWithItsIdInTheMiddleIsUnderstood() {
        try (Rig rig = Rig.start()) {
            rig.script().emit(BsonDocument.parse("{operationType: 'createIndexes', ns: {db: 'app', coll: 'orders'}}"));
            rig.insert("orders", "a");
            rig.untilLogged(1);
            assertThat(rig.documents()).containsExactly("a");
        }
    }

    @Test
    void aStandaloneServerIsAConfigurationError() {
        try (Rig rig = new Rig(DevMongo.builder().standalone())) {
            rig.steps(2);
            assertThat(rig.loop().state().status()).isEqualTo(CaptureStatus.MISCONFIGURED);
            assertThat(rig.loop().state().reason()).contains("replica set");
        }
    }

    @Test
    void shutdownIsPrompt() {
        try (Rig rig = Rig.start()) {
            rig.insert("orders", "a");
            rig.untilLogged(1);
            long start = System.nanoTime();
            rig.loop().close();
            System.out.println("closed in " + Duration.ofNanos(System.nanoTime() - start));
            assertThat(rig.loop().state().status()).isEqualTo(CaptureStatus.CLOSED);
            assertThat(List.of(rig.loop().state().reason())).containsExactly("shut down");
        }
    }
}
