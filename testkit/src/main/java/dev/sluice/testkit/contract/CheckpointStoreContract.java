package dev.sluice.testkit.contract;

import static dev.sluice.testkit.contract.SampleEvents.checkpoint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.checkpoint.InMemoryCheckpoints;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link CheckpointStore} promises. */
public abstract class CheckpointStoreContract {
    private CheckpointStore store = new InMemoryCheckpoints();

    /** An empty store, of this test alone. */
    protected abstract CheckpointStore open();

    /** The same store again, as another process or a later one would open it. */
    protected abstract CheckpointStore reopen();

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    protected void whatWasSavedIsLoadedWhole() {
        byte[] filling = new byte[3000];
        filling[2999] = 7;
        RawBson token = RawBson.of(new BsonDocument("_data", new BsonBinary(filling)));
        Checkpoint highest = new Checkpoint(token, ClusterTime.of(0xFFFF_FFFFL, 0xFFFF_FFFFL));
        store.save("main", highest);
        assertThat(store.load("main")).contains(highest);
        Checkpoint filtered = highest.withFilter(Long.MIN_VALUE + 5);
        store.save("filtered", filtered);
        assertThat(store.load("filtered")).contains(filtered);
    }

    @Test
    protected void nothingIsThereBeforeTheFirstSave() {
        assertThat(store.load("main")).isEmpty();
        assertThat(store.list()).isEmpty();
    }

    @Test
    protected void theLastSaveCounts() {
        store.save("main", checkpoint(9, 1));
        store.save("main", checkpoint(5, 1));
        assertThat(store.load("main"))
                .as("also an earlier one: who saves knows why")
                .contains(checkpoint(5, 1));
    }

    @Test
    protected void namesDoNotTouchEachOther() {
        store.save("a", checkpoint(1, 1));
        store.save("a.b", checkpoint(2, 1));
        store.save("a-b", checkpoint(3, 1));
        store.save("a@b", checkpoint(4, 1));
        store.delete("a");
        assertThat(store.list().keySet()).containsExactly("a-b", "a.b", "a@b");
        assertThat(store.load("a@b")).contains(checkpoint(4, 1));
        assertThat(store.load("a.b")).contains(checkpoint(2, 1));
    }

    @Test
    protected void deletingIsFinalAndHarmlessTwice() {
        store.save("main", checkpoint(1, 1));
        store.delete("main");
        store.delete("main");
        assertThat(store.load("main")).isEmpty();
        store.save("main", checkpoint(2, 1));
        assertThat(store.load("main")).contains(checkpoint(2, 1));
    }

    @Test
    protected void itIsThereForWhoeverOpensTheStoreLater() {
        store.save("main", checkpoint(1, 1));
        store.save("other", checkpoint(2, 1));
        try (CheckpointStore later = reopen()) {
            assertThat(later.load("main")).contains(checkpoint(1, 1));
            assertThat(later.list().keySet()).containsExactly("main", "other");
        }
    }

    @Test
    protected void namesThatCouldEscapeAreRefused() {
        for (String name : List.of("", "../x", "a/b", ".hidden", "a b", "x".repeat(129))) {
            assertThatThrownBy(() -> store.save(name, checkpoint(1, 1)))
                    .as(name)
                    .isInstanceOf(InvalidInputException.class);
            assertThatThrownBy(() -> store.load(name)).as(name).isInstanceOf(InvalidInputException.class);
            assertThatThrownBy(() -> store.delete(name)).as(name).isInstanceOf(InvalidInputException.class);
        }
    }

    @Test
    protected void readersNeverSeeHalfACheckpoint() throws Exception {
        store.save("main", checkpoint(1, 1));
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Future<?> writer = threads.submit(() -> {
                for (int t = 1; t <= 50; t++) {
                    store.save("main", checkpoint(t, t));
                }
            });
            List<Checkpoint> seen = new ArrayList<>();
            while (!writer.isDone()) {
                seen.add(store.load("main").orElseThrow());
            }
            writer.get();
            assertThat(seen)
                    .allMatch(found -> found.equals(
                            checkpoint(found.time().t(), found.time().i())));
        }
        assertThat(store.load("main")).contains(checkpoint(50, 50));
    }
}
