package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.ClientSession;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.log.EventRecord;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogReader;
import dev.sluice.model.EventId;
import dev.sluice.model.Position;
import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/**
 * Two Pullers of one source hold the events of one cluster time in the same order, however their batches fall and wherever
 * they crash. So a position that one Puller counted leads to the same place at the other, by its event id.
 */
class TwoPullersOrderTest {
    private static final int EVENTS = 120;

    @Test
    void aTransactionHasTheSameOrderInBothLogs() {
        try (Rig one = new Rig(DevMongo.builder())) {
            one.restart(settings -> settings.withBatchSize(64)).opened();
            try (Rig two = one.besideFromNow(settings -> settings.withBatchSize(7))) {
                two.opened();
                transaction(one);
                one.untilLogged(50).restart().untilLogged(EVENTS);
                two.untilLogged(20).restart().untilLogged(70).restart().untilLogged(EVENTS);
                assertSameOrder(one, two);
            }
        }
    }

    /** Streams of one backend are merged by their tokens. */
    @Test
    void aTransactionHasTheSameOrderWhereOnePullerReadsSeveralStreams() {
        CollectionFilter both = CollectionFilter.including("orders", "audit");
        try (Rig one = new Rig(DevMongo.builder())) {
            one.restart(settings -> settings.withFilter(both)).opened();
            try (Rig two = one.besideFromNow(
                    settings -> settings.withFilter(both).withStreams(2).withBatchSize(7))) {
                two.opened();
                transaction(one);
                one.untilLogged(EVENTS);
                two.untilLogged(20).restart().untilLogged(EVENTS);
                assertSameOrder(one, two);
            }
        }
    }

    private static void transaction(Rig rig) {
        try (ClientSession session = rig.client.startSession()) {
            session.withTransaction(() -> {
                for (int k = 0; k < EVENTS; k++) {
                    rig.collection(k % 3 == 0 ? "audit" : "orders").insertOne(session, new Document("_id", "t" + k));
                }
                return EVENTS;
            });
        }
    }

    private static void assertSameOrder(Rig one, Rig two) {
        List<EventId> ids = one.logged().stream().map(EventRecord::id).toList();
        assertThat(ids).hasSize(EVENTS).doesNotHaveDuplicates();
        assertThat(ids.stream().map(EventId::time).distinct()).hasSize(1);
        assertThat(two.logged().stream().map(EventRecord::id).toList()).isEqualTo(ids);
        assertThat(ids.stream().map(reader(two)::resolve).toList()).isEqualTo(positions(one));
    }

    private static List<Position> positions(Rig rig) {
        return rig.log.read(rig.log.state().evictedThrough().position(), EVENTS, Long.MAX_VALUE)
                        instanceof LogRead.Entries found
                ? found.entries().stream()
                        .map(entry -> entry.point().toPosition())
                        .toList()
                : List.of();
    }

    private static LogReader reader(Rig rig) {
        return new LogReader(rig.log, new LiveTail(rig.log.state().head().position(), 1, 1));
    }
}
