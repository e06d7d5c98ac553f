package dev.sluice.worker.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.cursor.CursorStore;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.simulation.ManualModel;
import dev.sluice.worker.stream.StreamState.Retention;
import org.junit.jupiter.api.Test;

class SessionTest {
    private final ManualTime time = new ManualTime();

    /** A session without its threads would keep partitions, and no worker would handle their messages. */
    @Test
    void threadsThatCouldNotBeStartedAreStartedByTheNextCall() {
        Session session = session();
        time.keepsBodies(1);
        assertThatThrownBy(session::start).isInstanceOf(OutOfMemoryError.class);
        assertThat(time.started()).containsExactly("worker-feeding-w1");
        time.keepsBodies(10);
        session.start();
        session.start();
        assertThat(time.started()).containsExactly("worker-feeding-w1", "worker-cursors-w1", "worker-deletes-w1");
    }

    private Session session() {
        WorkerContext context = time.context(
                new ManualModel(Retention.LIMITS, -1, true).stream(),
                StreamKind.LIMITS,
                new ServerTrouble(time, StreamKind.LIMITS),
                PartitionMap.empty());
        Session.OtherWorkers others = new Session.OtherWorkers() {
            @Override
            public boolean hasSuccessor(int partition, FencingToken before) {
                return false;
            }

            @Override
            public void subjectsTaken() {}
        };
        CursorStore cursors = new CursorStore(new InMemoryCoordinationStore(), "g");
        return new Session(
                new Session.Plan(
                        context,
                        "g",
                        (about, message) -> Outcome.done(),
                        given -> null,
                        cursors,
                        Cursor.startingAfter(0, 0),
                        others),
                "w1",
                "life");
    }
}
