package dev.sluice.server.streamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.checkpoint.InMemoryCheckpoints;
import dev.sluice.checkpoint.LazyCheckpoints;
import dev.sluice.coordinate.CheckpointBackup;
import dev.sluice.coordinate.Checkpoints;
import dev.sluice.coordinate.PartitionCheckpoint;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.FencingToken;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MirroredPositionsTest {
    private final InMemoryCheckpoints store = new InMemoryCheckpoints();
    private final MirroredPositions mirror = new MirroredPositions(store, "a/streamer", InstantSource.system());

    private static PartitionCheckpoint at(long generation, int partition, String position) {
        return new PartitionCheckpoint(partition, new FencingToken(generation, 7), position, "");
    }

    private static String lower(String a, String b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    private List<String> positions() {
        return mirror
                .read("a/streamer", MirroredPositionsTest::lower)
                .map(CheckpointBackup::checkpoints)
                .orElse(List.of())
                .stream()
                .map(PartitionCheckpoint::position)
                .toList();
    }

    @Test
    void whatWasSavedIsReadAgainAndOthersGroupsAreNot() {
        assertThat(mirror.read("a/streamer", MirroredPositionsTest::lower)).isEmpty();
        new MirroredPositions(store, "b/streamer", InstantSource.system()).save(at(9, 0, "x"), 1);
        mirror.save(at(3, 0, "k"), 2);
        mirror.save(at(3, 1, "m"), 2);
        mirror.save(at(3, 0, "l"), 2);
        assertThat(positions()).containsExactly("l", "m");
        assertThat(mirror.read("a/streamer", MirroredPositionsTest::lower)
                        .orElseThrow()
                        .generation())
                .isEqualTo(3);
    }

    /** A partition of which nothing is known may be anywhere behind where the generation before ended. */
    @Test
    void whileAGenerationIsNotWholeTheOneBeforeCounts() {
        mirror.save(at(3, 0, "k"), 1);
        mirror.save(at(4, 1, "z"), 3);
        assertThat(mirror.forgetBefore(4)).isFalse();
        assertThat(positions()).containsExactly("k", "z", "k");
        mirror.save(at(4, 0, "x"), 3);
        mirror.save(at(4, 2, "y"), 3);
        assertThat(mirror.forgetBefore(4)).isTrue();
        assertThat(positions()).containsExactly("x", "z", "y");
        assertThat(store.list()).hasSize(3);
    }

    @Test
    void aMirrorThatIsAwayIsCountedAndServedWhenItIsBack() {
        var saves = new AtomicLong();
        var failures = new AtomicInteger();
        var away = new AtomicBoolean(true);
        var failing = new LazyCheckpoints(() -> {
            if (away.get()) {
                throw new IllegalStateException("its name does not resolve");
            }
            return store;
        });
        var local = new Checkpoints(new InMemoryCoordinationStore(), "g");
        var copies = new MirroredPositions(failing, "g", InstantSource.system());
        var watched = new PositionMirror.Watched(saves::get, partition -> true);
        var copying = new PositionMirror(local, copies, watched, Duration.ofMillis(1), failures::incrementAndGet);
        assertThat(local.begin(5, 1, "")).isTrue();
        assertThat(local.save(0, new FencingToken(5, 0), "p")).isTrue();
        saves.incrementAndGet();
        copying.step();
        copying.step();
        assertThat(failures).hasValue(2);
        away.set(false);
        copying.step();
        assertThat(copies.read("g", MirroredPositionsTest::lower).orElseThrow().checkpoints())
                .extracting(PartitionCheckpoint::position)
                .containsExactly("p");
        copying.step();
        assertThat(failures).hasValue(2);
    }
}
