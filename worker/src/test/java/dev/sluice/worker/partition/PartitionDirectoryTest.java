package dev.sluice.worker.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PartitionDirectoryTest {
    private final CoordinationStore store = new InMemoryCoordinationStore();
    private final PartitionDirectory directory = new PartitionDirectory(store, "orders");
    private final FixedStream stream = new FixedStream();

    @Test
    void theFirstWorkerWritesItsPartitionsAndAnEqualOneIsAdmitted() {
        assertThat(directory.read().size()).isZero();
        directory.admit(Partitions.list(List.of("a", "b")));
        PartitionMap map = new PartitionDirectory(store, "orders").admit(Partitions.list(List.of("b", "a", "b")));
        assertThat(map.all()).containsExactly(Partition.open(0, "a", "a"), Partition.open(1, "b", "b"));
        assertThat(map.version()).isEqualTo(1);
        assertThat(new PartitionDirectory(store, "payments").read().size()).isZero();
    }

    @Test
    void aWorkerWithAnotherListIsRefusedWithTheDifference() {
        directory.admit(Partitions.list(List.of("a", "b", "c")));
        List<String> many = IntStream.range(0, 9).mapToObj(i -> "n" + i).toList();
        PartitionsDifferException refused = catchThrowableOfType(
                PartitionsDifferException.class, () -> directory.admit(Partitions.list(plus(many, "a"))));
        assertThat(refused.missing()).containsExactly("b", "c");
        assertThat(refused.extra()).containsExactlyElementsOf(many);
        assertThat(refused)
                .hasMessageContaining("2 missing in the configuration (b, c)")
                .hasMessageContaining("9 not in the group (n0, n1, n2, n3, n4, …)")
                .hasMessageContaining("sluice worker partitions");
    }

    @Test
    void aWorkerWithAnotherKindOrNumberIsRefused() {
        directory.admit(Partitions.hashed("orders", 8));
        for (Partitions other : List.of(
                Partitions.hashed("orders", 16),
                Partitions.hashed("order", 8),
                Partitions.list(List.of("a")),
                Partitions.pattern("orders.{x}"))) {
            assertThatThrownBy(() -> directory.admit(other))
                    .isInstanceOf(PartitionsDifferException.class)
                    .hasMessageContaining("hashed(orders, 8)")
                    .hasMessageContaining(other.describe());
        }
        assertThat(directory.read().size()).isEqualTo(8);
    }

    @Test
    void aChangedListAppendsAndClosesAndKeepsIndexes() {
        directory.admit(Partitions.list(List.of("a", "b", "c")));
        stream.with("a", "b", "a", "x", "b");
        PartitionMap changed = directory.changeTo(Partitions.list(List.of("d", "c")), stream);
        assertThat(changed.all())
                .containsExactly(
                        new Partition(0, "a", "a", true, 3),
                        new Partition(1, "b", "b", true, 5),
                        Partition.open(2, "c", "c"),
                        Partition.open(3, "d", "d"));
        assertThat(directory.read().all()).isEqualTo(changed.all());
        assertThat(changed.open()).hasSize(2);
        directory.admit(Partitions.list(List.of("c", "d")));
        assertThatThrownBy(() -> directory.admit(Partitions.list(List.of("a", "b", "c"))))
                .isInstanceOf(PartitionsDifferException.class);
    }

    @Test
    void aSubjectThatComesBackGetsItsIndexBack() {
        directory.admit(Partitions.list(List.of("a", "b")));
        stream.with("a");
        directory.changeTo(Partitions.list(List.of("b")), stream);
        PartitionMap back = directory.changeTo(Partitions.list(List.of("b", "a")), stream);
        assertThat(back.all()).containsExactly(Partition.open(0, "a", "a"), Partition.open(1, "b", "b"));
    }

    @Test
    void aSubjectWithoutMessagesIsClosedAtZero() {
        directory.admit(Partitions.list(List.of("a", "b")));
        PartitionMap map = directory.changeTo(Partitions.list(List.of("b")), stream);
        assertThat(map.at(0)).hasValue(new Partition(0, "a", "a", true, 0));
    }

    @Test
    void aChangeToTheSameChangesNothing() {
        directory.admit(Partitions.list(List.of("a", "b")));
        assertThat(directory
                        .changeTo(Partitions.list(List.of("b", "a")), stream)
                        .version())
                .isEqualTo(1);
    }

    @Test
    void aListMayBecomeAPatternAndKeepsTheIndexes() {
        directory.admit(Partitions.list(List.of("dc.t1", "dc.t2", "other")));
        PartitionMap map = directory.changeTo(Partitions.pattern("dc.{tool}"), stream);
        assertThat(map.all())
                .containsExactly(
                        Partition.open(0, "t1", "dc.t1"),
                        Partition.open(1, "t2", "dc.t2"),
                        new Partition(2, "other", "other", true, 0));
    }

    @Test
    void partitionsThatOverlapAreRefused() {
        directory.admit(Partitions.hashed("orders", 8));
        assertThatThrownBy(() -> directory.changeTo(Partitions.list(List.of("orders.8.3.eu")), stream))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("overlaps partition orders.8.3.>");
        PartitionDirectory lists = new PartitionDirectory(store, "lists");
        lists.admit(Partitions.list(List.of("orders.8.3.eu")));
        assertThatThrownBy(() -> lists.changeTo(Partitions.hashed("orders", 8), stream))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("overlaps partition orders.8.3.eu");
        assertThat(lists.read().version()).isEqualTo(1);
    }

    @Test
    void discoveredSubjectsAreAppendedOnce() {
        directory.admit(Partitions.pattern("dc.{tool}"));
        List<Integer> grown = new ArrayList<>();
        Discovery discovery = new Discovery(directory, stream, grown::add);
        assertThat(discovery.step()).isZero();
        assertThat(grown).isEmpty();
        stream.with("dc.t2", "dc.t1", "other", "dc.t1.x", "dc.t2");
        assertThat(discovery.step()).isEqualTo(2);
        assertThat(discovery.step()).isZero();
        stream.with("dc.t0");
        assertThat(discovery.step()).isEqualTo(1);
        assertThat(directory.read().all()).extracting(Partition::id).containsExactly("t1", "t2", "t0");
        assertThat(grown).containsExactly(2, 2, 3);
    }

    @Test
    void discoveryLeavesListsAloneAndGrowsTheirGroups() {
        directory.admit(Partitions.list(List.of("a", "b")));
        List<Integer> grown = new ArrayList<>();
        stream.with("c");
        assertThat(new Discovery(directory, stream, grown::add).step()).isZero();
        assertThat(grown).containsExactly(2);
    }

    @Test
    void aResizeClosesTheOldSlotsWhenTheTransformIsThereAndTheyAreQuiet() {
        directory.admit(Partitions.hashed("orders", 2));
        long[] now = {0};
        HashedResize resize = new HashedResize(directory, stream, () -> now[0]);
        stream.with("orders.2.0.x", "orders.2.1.x")
                .transforming("orders.*", "orders.2.{{partition(2,1)}}.{{wildcard(1)}}");
        assertThat(resize.step()).isZero();

        PartitionMap both = directory.changeTo(Partitions.hashed("orders", 3), stream);
        assertThat(both.open()).hasSize(5);
        now[0] += 60_000_000_000L;
        assertThat(resize.step()).isZero();
        now[0] += 60_000_000_000L;
        assertThat(resize.step()).as("the transform still writes 2").isZero();

        stream.transforming("orders.*", "orders.3.{{partition(3,1)}}.{{wildcard(1)}}");
        assertThat(resize.step()).isZero();
        now[0] += 9_000_000_000L;
        stream.with("orders.2.1.late", "orders.3.0.x");
        assertThat(resize.step()).as("a late message").isZero();
        now[0] += 9_000_000_000L;
        assertThat(resize.step()).as("quiet for 9 s").isZero();
        now[0] += 1_000_000_000L;
        assertThat(resize.step()).isEqualTo(2);
        assertThat(directory.read().all())
                .containsExactly(
                        new Partition(0, "0", "orders.2.0.>", true, 1),
                        new Partition(1, "1", "orders.2.1.>", true, 3),
                        Partition.open(2, "0", "orders.3.0.>"),
                        Partition.open(3, "1", "orders.3.1.>"),
                        Partition.open(4, "2", "orders.3.2.>"));
        assertThat(resize.step()).isZero();

        PartitionMap back = directory.changeTo(Partitions.hashed("orders", 2), stream);
        assertThat(back.size()).isEqualTo(5);
        assertThat(back.at(0)).hasValue(Partition.open(0, "0", "orders.2.0.>"));
    }

    @Test
    void aLargeDirectoryIsStoredInValuesTheStoreTakes() {
        String tail = "x".repeat(80);
        List<String> subjects =
                IntStream.range(0, 10_000).mapToObj(i -> "s" + i + "." + tail).toList();
        directory.admit(Partitions.list(subjects));
        List<Entry> chunks = store.list("orders/partitions/chunks/");
        assertThat(chunks).hasSizeGreaterThan(3).allMatch(chunk -> chunk.value().length < 256 * 1024);
        assertThat(new PartitionDirectory(store, "orders").read().all())
                .extracting(Partition::filter)
                .containsExactlyElementsOf(subjects);

        PartitionMap closed = directory.changeTo(Partitions.list(List.of(subjects.get(7), "new")), stream);
        assertThat(closed.size()).isEqualTo(10_001);
        assertThat(store.list("orders/partitions/chunks/"))
                .allMatch(chunk -> chunk.value().length < CoordinationStore.MAX_VALUE);
        assertThat(new PartitionDirectory(store, "orders").read().open())
                .extracting(Partition::index)
                .containsExactly(7, 10_000);
    }

    @Test
    void anAppendRewritesTheLastValueOnly() {
        String tail = "x".repeat(200);
        directory.admit(Partitions.list(
                IntStream.range(0, 1_000).mapToObj(i -> "s" + i + "." + tail).toList()));
        List<String> before = keys();
        List<String> longer = new ArrayList<>(
                directory.read().open().stream().map(Partition::filter).toList());
        longer.add("new");
        directory.changeTo(Partitions.list(longer), stream);
        assertThat(keys()).hasSameSizeAs(before).containsAll(before.subList(0, before.size() - 1));
        assertThat(keys()).doesNotContain(before.getLast());
    }

    private List<String> keys() {
        return store.list("orders/partitions/chunks/").stream().map(Entry::key).toList();
    }

    @Test
    void tooManyPartitionsAreRefused() {
        List<String> subjects =
                IntStream.range(0, 100_001).mapToObj(i -> "s" + i).toList();
        assertThatThrownBy(() -> directory.admit(Partitions.list(subjects)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("at most 100000");
    }

    /** Any publisher can create subjects: partitions of earlier subjects must not suffer from that. */
    @Test
    void subjectsBeyondTheMostPartitionsAreLeftOutWithAProblem() {
        directory.admit(Partitions.pattern("dc.{tool}"));
        directory.discovered(
                IntStream.range(0, 99_998).mapToObj(i -> "dc.s" + i).toList());
        Discovery discovery = new Discovery(directory, stream, most -> {});
        stream.with("dc.a", "dc.s7", "other");
        assertThat(discovery.step()).isEqualTo(1);
        assertThat(discovery.problem()).isEmpty();
        stream.with("dc.c", "dc.b");
        assertThat(discovery.step()).isEqualTo(1);
        assertThat(directory.read().of("dc.b")).isNotNull();
        assertThat(directory.read().of("dc.c")).isNull();
        assertThat(discovery.problem()).contains("100000 partitions", "pattern");
    }

    @Test
    void changesAtTheSameTimeAllCount() throws Exception {
        directory.admit(Partitions.pattern("dc.{tool}"));
        List<Callable<PartitionMap>> changes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            List<String> found = List.of("dc.t" + i, "dc.shared");
            changes.add(() -> new PartitionDirectory(store, "orders").discovered(found));
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<PartitionMap> change : threads.invokeAll(changes)) {
                change.get();
            }
        }
        PartitionMap map = directory.read();
        assertThat(map.all()).extracting(Partition::filter).hasSize(9).doesNotHaveDuplicates();
        assertThat(map.all())
                .extracting(Partition::index)
                .isEqualTo(IntStream.range(0, 9).boxed().toList());
        assertThat(keys()).as("no value is left over").hasSize(1);
    }

    private static List<String> plus(List<String> list, String more) {
        List<String> all = new ArrayList<>(list);
        all.add(more);
        return all;
    }
}
