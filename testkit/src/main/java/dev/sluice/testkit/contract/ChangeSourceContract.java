package dev.sluice.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.capture.StartPoint;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.model.ClusterTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What every {@link ChangeSource} promises. Each test has a source and a history of its own. */
public abstract class ChangeSourceContract {
    private static final int READS = 100;

    protected abstract ChangeSource source();

    /** Commits documents with these text ids, one by one. */
    protected abstract void commit(String collection, String... ids);

    /** Commits documents with these text ids, all at one cluster time. */
    protected abstract void commitTogether(String collection, String... ids);

    /** Something happens at the source that is not for us. */
    protected abstract void otherWrite();

    /** The source forgets everything that happened so far; false when it cannot be made to. */
    protected abstract boolean forgetHistory();

    @Test
    protected void theFirstReadTellsThePositionAtOnce() throws Exception {
        try (ChangeCursor cursor = source().open(new StartPoint.Now())) {
            SourceBatch first = cursor.next();
            assertThat(first.reached()).isNotNull();
            assertThat(first.events()).isEmpty();
        }
    }

    @Test
    protected void changesComeInTheOrderOfTheirCommit() throws Exception {
        try (ChangeCursor cursor = source().open(new StartPoint.Now())) {
            cursor.next();
            commit("orders", "a", "b");
            commitTogether("orders", "c", "d");
            assertThat(ids(read(cursor, 4))).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    protected void aStreamContinuesDirectlyBehindAnyPositionItNamed() throws Exception {
        Checkpoint opened;
        try (ChangeCursor cursor = source().open(new StartPoint.Now())) {
            opened = Objects.requireNonNull(cursor.next().reached());
            commit("orders", "a", "b");
            Checkpoint middle = lastOf(read(cursor, 2));
            commitTogether("orders", "c", "d");
            Checkpoint end = lastOf(read(cursor, 2));
            commit("orders", "e");
            assertThat(ids(readFrom(new StartPoint.After(middle), 3))).containsExactly("c", "d", "e");
            assertThat(ids(readFrom(new StartPoint.After(end), 1))).containsExactly("e");
        }
        assertThat(ids(readFrom(new StartPoint.After(opened), 5))).containsExactly("a", "b", "c", "d", "e");
    }

    @Test
    protected void aTimeIsRepeatedWholeAndWithTheSameIds() throws Exception {
        try (ChangeCursor cursor = source().open(new StartPoint.Now())) {
            cursor.next();
            commit("orders", "before");
            commitTogether("orders", "a", "b", "c");
            List<EventRecord> first = events(read(cursor, 4));
            ClusterTime time = first.getLast().clusterTime();
            List<EventRecord> again = events(readFrom(new StartPoint.At(time), 3));
            assertThat(again.stream().map(EventRecord::id))
                    .isEqualTo(first.subList(1, 4).stream().map(EventRecord::id).toList());
        }
    }

    @Test
    protected void aPositionsTimeIsNeverBehindAChangeThatIsStillToCome() throws Exception {
        try (ChangeCursor cursor = source().open(new StartPoint.Now())) {
            List<SourceBatch> batches = new ArrayList<>(List.of(cursor.next(), cursor.next()));
            commit("orders", "a");
            batches.addAll(read(cursor, 1));
            otherWrite();
            batches.add(cursor.next());
            batches.add(cursor.next());
            commit("orders", "b");
            batches.addAll(read(cursor, 1));
            for (int k = 0; k + 1 < batches.size(); k++) {
                Checkpoint reached = Objects.requireNonNull(batches.get(k).reached());
                List<EventRecord> later = events(batches.subList(k + 1, batches.size()));
                assertThat(later).allMatch(event -> event.clusterTime().compareTo(reached.time()) >= 0);
            }
        }
    }

    @Test
    protected void theOldestTimeCanBeOpenedAndBringsEverything() throws Exception {
        commit("orders", "a", "b");
        assertThat(ids(readFrom(new StartPoint.At(source().oldest()), 2))).endsWith("a", "b");
    }

    @Test
    protected void forgottenHistoryIsSaidToBeLost() throws Exception {
        Checkpoint position;
        try (ChangeCursor cursor = source().open(new StartPoint.Now())) {
            position = Objects.requireNonNull(cursor.next().reached());
        }
        commit("orders", "lost");
        if (forgetHistory()) {
            assertThatThrownBy(() -> readFrom(new StartPoint.After(position), 1))
                    .isInstanceOfSatisfying(
                            SourceException.class,
                            failed -> assertThat(failed.failure()).isInstanceOf(SourceFailure.HistoryLost.class));
        }
    }

    @Test
    protected void closingTwiceIsHarmless() throws Exception {
        ChangeCursor cursor = source().open(new StartPoint.Now());
        cursor.close();
        cursor.close();
        source().close();
        source().close();
    }

    private List<SourceBatch> readFrom(StartPoint from, int count) throws SourceException {
        try (ChangeCursor cursor = source().open(from)) {
            return read(cursor, count);
        }
    }

    /** Reads until so many events came. */
    protected static List<SourceBatch> read(ChangeCursor cursor, int count) throws SourceException {
        List<SourceBatch> batches = new ArrayList<>();
        int seen = 0;
        for (int k = 0; k < READS && seen < count; k++) {
            SourceBatch batch = cursor.next();
            seen += batch.events().size();
            batches.add(batch);
        }
        return batches;
    }

    protected static List<EventRecord> events(List<SourceBatch> batches) {
        return batches.stream().flatMap(batch -> batch.events().stream()).toList();
    }

    private static List<String> ids(List<SourceBatch> batches) {
        return events(batches).stream().map(event -> event.documentId().text()).toList();
    }

    private static Checkpoint lastOf(List<SourceBatch> batches) {
        return Objects.requireNonNull(batches.getLast().reached());
    }
}
