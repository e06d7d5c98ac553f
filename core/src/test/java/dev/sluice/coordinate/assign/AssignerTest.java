package dev.sluice.coordinate.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.InvalidInputException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class AssignerTest {
    private static final Assigner MODULO = new ModuloAssigner();
    private static final Assigner STICKY = new StickyAssigner();
    private static final Assigner RING = new ConsistentHashAssigner();

    static Stream<Assigner> all() {
        return Stream.of(MODULO, STICKY, RING);
    }

    @Test
    void moduloGivesThreeNodesOfSixPartitionsTwoEach() {
        assertThat(partitionsByOwner(MODULO.assign(6, members("A", "B", "C"), Map.of())))
                .isEqualTo(Map.of("A", List.of(0, 3), "B", List.of(1, 4), "C", List.of(2, 5)));
    }

    @Test
    void moduloSpreadsAnewOverThoseWhoAreLeftWhenANodeFails() {
        Map<Integer, String> before = MODULO.assign(6, members("A", "B", "C"), Map.of());
        assertThat(partitionsByOwner(MODULO.assign(6, members("A", "C"), before)))
                .isEqualTo(Map.of("A", List.of(0, 2, 4), "C", List.of(1, 3, 5)));
    }

    /** The draft's example says A[0], B[1], C[2], D[3,4,5]; its formula says this, and the formula holds. */
    @Test
    void moduloFollowsTheFormulaWhenAFourthNodeJoins() {
        assertThat(partitionsByOwner(MODULO.assign(6, members("A", "B", "C", "D"), Map.of())))
                .isEqualTo(Map.of("A", List.of(0, 4), "B", List.of(1, 5), "C", List.of(2), "D", List.of(3)));
    }

    @ParameterizedTest
    @CsvSource({"6, 6, 1, 0", "6, 3, 2, 0", "6, 8, 1, 2"})
    void moduloScalesAsTheTableSays(int partitions, int nodes, int each, int idle) {
        Map<String, List<Integer>> owned = partitionsByOwner(MODULO.assign(partitions, numbered(nodes), Map.of()));
        assertThat(nodes - owned.size()).isEqualTo(idle);
        assertThat(owned.values()).allSatisfy(some -> assertThat(some).hasSize(each));
    }

    @Test
    void stickyKeepsWhatIsBalancedEvenWhereAnotherSpreadWouldBe() {
        Map<Integer, String> current = Map.of(0, "C", 1, "C", 2, "A", 3, "B", 4, "A");
        assertThat(STICKY.assign(5, members("A", "B", "C"), current)).isEqualTo(current);
    }

    @Test
    void stickyGivesADeadMembersPartitionsToTheOthersAndMovesNothingElse() {
        Map<Integer, String> before = STICKY.assign(6, members("A", "B", "C"), Map.of());
        Map<Integer, String> after = STICKY.assign(6, members("A", "C"), before);
        assertThat(Assigner.moves(before, after)).isEqualTo(2);
        assertThat(partitionsByOwner(after).get("A")).contains(0, 3).hasSize(3);
    }

    @Test
    void stickyGivesTwiceTheWeightTwiceTheShare() {
        List<Candidate> members = List.of(new Candidate("small", 1), new Candidate("large", 2));
        Map<String, List<Integer>> owned = partitionsByOwner(STICKY.assign(9, members, Map.of()));
        assertThat(owned.get("small")).hasSize(3);
        assertThat(owned.get("large")).hasSize(6);
    }

    /** Pinned: an answer that changes with a release would move partitions between members of two releases. */
    @Test
    void theRingAnswersTheSameInEveryRelease() {
        assertThat(partitionsByOwner(RING.assign(12, members("A", "B", "C"), Map.of())))
                .isEqualTo(Map.of("A", List.of(1, 2, 3, 8, 10), "B", List.of(5, 7, 9, 11), "C", List.of(0, 4, 6)));
    }

    @Test
    void theRingSpreadsEquallyEnoughAndByWeight() {
        Map<String, List<Integer>> equal = partitionsByOwner(RING.assign(2_000, numbered(10), Map.of()));
        assertThat(equal).hasSize(10);
        assertThat(equal.values()).allSatisfy(some -> assertThat(some).hasSizeBetween(120, 290));
        List<Candidate> unequal = List.of(new Candidate("small", 1), new Candidate("large", 3));
        assertThat(partitionsByOwner(RING.assign(2_000, unequal, Map.of())).get("large"))
                .hasSizeBetween(1_350, 1_650);
    }

    @ParameterizedTest
    @MethodSource("all")
    void withoutMembersNobodyOwnsAnything(Assigner assigner) {
        assertThat(assigner.assign(6, List.of(), Map.of(0, "A"))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("all")
    void badInputIsRefusedInOneSentence(Assigner assigner) {
        assertThatThrownBy(() -> assigner.assign(6, members("A", "B", "A"), Map.of()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessage("two members have the id A; give every process an id of its own");
        assertThatThrownBy(() -> assigner.assign(0, members("A"), Map.of()))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("at least 1, not 0");
        assertThatThrownBy(() -> new Candidate("A", 0)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> new Candidate("", 1)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> new ConsistentHashAssigner(0)).isInstanceOf(InvalidInputException.class);
    }

    @Test
    void stickyMovesTheMinimumWhenTheTwentySixthMemberJoinsTwoThousandPartitions() {
        Map<Integer, String> before = STICKY.assign(2_000, numbered(25), Map.of());
        Map<Integer, String> after = STICKY.assign(2_000, numbered(26), before);
        int minimum = 2_000 / 26;
        int moves = Assigner.moves(before, after);
        System.out.printf("25 -> 26 members, 2000 partitions: %d moves, minimum %d%n", moves, minimum);
        assertThat(moves).isEqualTo(minimum);
        assertThat(partitionsByOwner(after).get(id(25))).hasSize(minimum);
    }

    @ParameterizedTest
    @MethodSource("all")
    void twoThousandPartitionsAreDealtToAHundredMembers(Assigner assigner) {
        Map<Integer, String> before = assigner.assign(2_000, numbered(99), Map.of());
        Supplier<Map<Integer, String>> run = () -> assigner.assign(2_000, numbered(100), before);
        long cold = nanos(run);
        IntStream.range(0, 20).forEach(k -> nanos(run));
        long warm = nanos(run);
        System.out.printf(
                "%s, 2000 partitions, 99 -> 100 members: %.1f ms the first time, %.1f ms warm, %d moves%n",
                assigner.getClass().getSimpleName(), cold / 1e6, warm / 1e6, Assigner.moves(before, run.get()));
        assertThat(run.get()).hasSize(2_000);
    }

    private static long nanos(Supplier<?> run) {
        long start = System.nanoTime();
        assertThat(run.get()).isNotNull();
        return System.nanoTime() - start;
    }

    private static List<Candidate> members(String... ids) {
        return Stream.of(ids).map(Candidate::new).toList();
    }

    private static List<Candidate> numbered(int count) {
        return IntStream.range(0, count).mapToObj(k -> new Candidate(id(k))).toList();
    }

    private static String id(int k) {
        return String.format("node-%03d", k);
    }

    private static Map<String, List<Integer>> partitionsByOwner(Map<Integer, String> owners) {
        return owners.entrySet().stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getValue, TreeMap::new, Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
    }
}
