package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoNamespace;
import com.mongodb.client.ClientSession;
import com.mongodb.client.model.RenameCollectionOptions;
import com.mongodb.client.model.Updates;
import dev.sluice.capture.CaptureStatus;
import dev.sluice.capture.TenantRule;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.log.EventRecord;
import dev.sluice.model.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/** Several change streams on one backend bring what one would have brought, in the same order. */
class SeveralStreamsTest {
    private static final List<String> WATCHED = List.of("a", "b", "c", "d", "e");
    private static final CollectionFilter FILTER = CollectionFilter.including("a", "b", "c", "d", "e");

    @Test
    void eventsOfAllCollectionsComeInTheOrderOfTheirCommit() {
        try (Rig rig = started(3)) {
            for (int k = 0; k < 50; k++) {
                rig.insert(WATCHED.get(k % 5), k);
            }
            rig.untilLogged(50);
            assertSameAsOneStream(rig);
        }
    }

    @Test
    void anEventOfAnOtherwiseSilentDatabaseComesWithoutAnotherWrite() {
        try (Rig rig = started(3)) {
            rig.insert("b", "only");
            rig.untilLogged(1);
            assertThat(rig.documents()).containsExactly("only");
        }
    }

    /** All its events have one cluster time: the tokens tell their order, and none is torn off by a crash. */
    @Test
    void aTransactionOverAllStreamsIsWholeAndInOrderAfterCrashesInItsMiddle() {
        try (Rig rig = started(3)) {
            rig.restart(settings -> settings.withBatchSize(4));
            transaction(rig, new Random(5), 0, 60);
            rig.untilLogged(10).restart().untilLogged(30).restart().untilLogged(60);
            assertThat(rig.logged().stream().map(EventRecord::clusterTime).distinct())
                    .hasSize(1);
            assertSameAsOneStream(rig);
        }
    }

    @Test
    void controlEventsComeOnceAndAnInvalidateIsSurvived() {
        try (Rig rig = started(3)) {
            rig.insert("a", 1);
            rig.insert("staging", 2);
            rig.collection("staging").renameCollection(new MongoNamespace(Rig.DATABASE, "b"));
            rig.collection("a").drop();
            rig.database().drop();
            rig.insert("c", 3);
            rig.until(() -> rig.documents().size() == 2);
            assertThat(rig.operations())
                    .containsExactly(
                            Operation.INSERT,
                            Operation.RENAME,
                            Operation.RESYNC,
                            Operation.DROP,
                            Operation.DROP,
                            Operation.DROP,
                            Operation.INVALIDATE,
                            Operation.INSERT);
            rig.restart().insert("d", 4);
            rig.until(() -> rig.documents().size() == 3);
            assertSameAsOneStream(rig);
        }
    }

    @Test
    void oneStreamThatFailsReopensAllAndNothingIsLost() {
        try (Rig rig = started(3)) {
            for (int code : new int[] {43, 280, 11601, 136}) {
                rig.script().failNext(1, "getMore", code);
                rig.insert("a", "a" + code);
                rig.insert("c", "c" + code);
            }
            rig.script().failNext(1, "aggregate", 280);
            rig.restart().insert("e", "end");
            rig.untilLogged(9);
            assertThat(rig.counters().gapsDetected()).isZero();
            assertSameAsOneStream(rig);
        }
    }

    @Test
    void theNumberOfStreamsMayChangeBetweenRuns() {
        try (Rig rig = started(3)) {
            rig.insert("a", 1);
            rig.insert("b", 2);
            rig.untilLogged(2);
            rig.insert("c", 3);
            rig.restart(settings -> settings.withStreams(1)).insert("d", 4);
            rig.untilLogged(4);
            rig.insert("e", 5);
            rig.restart(settings -> settings.withStreams(5)).insert("a", 6);
            rig.untilLogged(6);
            assertSameAsOneStream(rig);
        }
    }

    @Test
    void deletesKnowTheirTenantInEveryStream() {
        try (Rig rig = new Rig(DevMongo.builder())) {
            rig.restart(settings -> settings.withFilter(FILTER).withStreams(3).withTenant(new TenantRule.Field("org")))
                    .opened();
            for (String collection : WATCHED) {
                rig.collection(collection).insertOne(new Document("_id", collection).append("org", "of " + collection));
                rig.collection(collection).deleteOne(new Document("_id", collection));
            }
            rig.untilLogged(10);
            for (int k = 0; k < 10; k++) {
                assertThat(rig.logged().get(k).tenant()).isEqualTo("of " + WATCHED.get(k / 2));
            }
        }
    }

    @Test
    void shutdownEndsAllStreams() {
        try (Rig rig = started(3)) {
            rig.insert("a", 1);
            rig.untilLogged(1);
            assertThat(rig.script().openCursors()).isEqualTo(3);
            rig.loop().close();
            assertThat(rig.loop().state().status()).isEqualTo(CaptureStatus.CLOSED);
            assertThat(rig.script().openCursors()).isZero();
        }
    }

    /** All streams begin at one time, also while writes go on: from the first event on nothing is missing. */
    @Test
    void aBeginningAmongWritesIsTheSameForAllStreams() throws Exception {
        try (Rig rig = new Rig(DevMongo.builder())) {
            AtomicBoolean enough = new AtomicBoolean();
            Thread writer = Thread.ofVirtual().start(() -> {
                for (int k = 0; !enough.get(); k++) {
                    rig.insert(WATCHED.get(k % 5), k);
                }
            });
            List<List<String>> begun = new ArrayList<>();
            for (int round = 0; round < 5; round++) {
                try (Rig several = rig.besideFromNow(
                        settings -> settings.withFilter(FILTER).withStreams(5))) {
                    begun.add(summary(several.untilLogged(20)));
                }
            }
            enough.set(true);
            writer.join();
            try (Rig one = rig.beside(settings -> settings.withFilter(FILTER))) {
                String last = begun.getLast().getLast();
                one.until(() -> summary(one).contains(last));
                List<String> all = summary(one);
                for (List<String> some : begun) {
                    int from = all.indexOf(some.getFirst());
                    assertThat(some).isEqualTo(all.subList(from, from + some.size()));
                }
            }
        }
    }

    /** Random histories, random batches, crashes, repeats and failures: the same events in the same order. */
    @Test
    void anyHistoryIsTheSameWithThreeStreamsAsWithOne() {
        for (long seed = 1; seed <= 4; seed++) {
            Random random = new Random(seed);
            try (Rig rig = started(3)) {
                rig.restart(settings -> settings.withBatchSize(1 + random.nextInt(6)));
                for (int round = 0; round < 30; round++) {
                    write(rig, random, round);
                    rig.steps(random.nextInt(4));
                    if (random.nextInt(4) == 0) {
                        rig.restart();
                    }
                }
                rig.script().failNothing();
                rig.insert("a", "end");
                rig.until(() -> rig.documents().contains("end"));
                assertSameAsOneStream(rig);
            }
        }
    }

    private static void write(Rig rig, Random random, int round) {
        String collection = any(random);
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> transaction(rig, random, 1000 * (round + 1), 1 + random.nextInt(12));
            case 3 -> rig.collection(collection).updateMany(new Document(), Updates.set("round", round));
            case 4 -> rig.collection(collection).deleteMany(new Document());
            case 5 -> rig.collection(collection).drop();
            case 6 -> {
                rig.insert("staging", "s" + round);
                rig.collection("staging")
                        .renameCollection(
                                new MongoNamespace(Rig.DATABASE, collection),
                                new RenameCollectionOptions().dropTarget(true));
            }
            case 7 -> rig.script().duplicateNext(2);
            case 8 -> {
                if (random.nextInt(4) == 0) {
                    rig.database().drop();
                }
                rig.script().failNext(1, "getMore", 43);
            }
            default -> {
                for (int k = 0; k < 6; k++) {
                    rig.insert(any(random), round + "-" + k);
                }
            }
        }
    }

    private static String any(Random random) {
        return WATCHED.get(random.nextInt(WATCHED.size()));
    }

    private static void transaction(Rig rig, Random random, int from, int count) {
        try (ClientSession session = rig.client.startSession()) {
            session.withTransaction(() -> {
                for (int k = from; k < from + count; k++) {
                    String collection = random.nextInt(6) == 0 ? "unwatched" : any(random);
                    rig.collection(count == 60 ? any(random) : collection)
                            .insertOne(session, new Document("_id", "t" + k));
                }
                return count;
            });
        }
    }

    private static Rig started(int streams) {
        Rig rig = new Rig(DevMongo.builder());
        return rig.restart(settings -> settings.withFilter(FILTER).withStreams(streams))
                .opened();
    }

    private static void assertSameAsOneStream(Rig rig) {
        List<String> several = summary(rig);
        try (Rig one = rig.beside(settings -> rig.settings.withStreams(1))) {
            one.untilLogged(several.size()).steps(3);
            assertThat(several).isEqualTo(summary(one));
        }
    }

    private static List<String> summary(Rig rig) {
        return rig.logged().stream()
                .map(event -> event.operation() + " " + event.id() + " " + event.collection() + " "
                        + (event.operation().isData() ? event.documentId().text() : ""))
                .toList();
    }
}
