package dev.sluice.coordinate.assign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class AssignerPropertiesTest {
    private static final Assigner STICKY = new StickyAssigner();
    private static final Assigner RING = new ConsistentHashAssigner(16);
    private static final List<Assigner> ALL = List.of(STICKY, RING, new ModuloAssigner());

    /** @param current also owners that are no members, and partitions that do not exist */
    record Case(int partitions, List<Candidate> members, Map<Integer, String> current) {
        Map<Integer, String> assignedBy(Assigner assigner) {
            return assigner.assign(partitions, members, current);
        }
    }

    @Property(tries = 500)
    void everyPartitionHasExactlyOneOwnerAmongTheMembers(@ForAll("large") Case given) {
        Set<String> ids = given.members.stream().map(Candidate::id).collect(Collectors.toSet());
        for (Assigner assigner : ALL) {
            Map<Integer, String> owners = given.assignedBy(assigner);
            assertThat(owners.keySet())
                    .containsExactlyElementsOf(
                            IntStream.range(0, given.partitions).boxed().toList());
            assertThat(ids).containsAll(owners.values());
        }
    }

    @Property(tries = 300)
    void theOrderOfTheMembersDoesNotMatter(@ForAll("large") Case given, @ForAll Random random) {
        List<Candidate> shuffled = new ArrayList<>(given.members);
        Collections.shuffle(shuffled, random);
        for (Assigner assigner : ALL) {
            assertThat(assigner.assign(given.partitions, shuffled, new HashMap<>(given.current)))
                    .isEqualTo(given.assignedBy(assigner));
        }
    }

    @Property(tries = 500)
    void stickyIsWithinOneOfTheWeightedShare(@ForAll("large") Case given) {
        assertBalanced(given, given.assignedBy(STICKY));
    }

    @Property(tries = 300)
    void stickyLeavesItsOwnAnswerAlone(@ForAll("large") Case given) {
        Map<Integer, String> owners = given.assignedBy(STICKY);
        assertThat(STICKY.assign(given.partitions, given.members, owners)).isEqualTo(owners);
    }

    /** Against every balanced assignment there is. */
    @Property(tries = 400)
    void stickyMovesAsFewAsAnyBalancedAssignment(@ForAll("small") Case given) {
        Map<Integer, String> owners = given.assignedBy(STICKY);
        assertThat(kept(given, owners)).isEqualTo(mostKept(given, 0, new HashMap<>()));
    }

    @Property(tries = 300)
    void stickyMovesOnlyToTheOneThatJoinsWhenAllWeighTheSame(@ForAll("equals") Case given) {
        Map<Integer, String> before = given.assignedBy(STICKY);
        List<Candidate> more = with(given.members, new Candidate("joiner"));
        STICKY.assign(given.partitions, more, before).forEach((p, owner) -> {
            if (!owner.equals(before.get(p))) {
                assertThat(owner).isEqualTo("joiner");
            }
        });
    }

    @Property(tries = 300)
    void stickyMovesOnlyWhatTheOneThatLeavesHadWhenAllWeighTheSame(@ForAll("equals") Case given) {
        assertOnlyTheLeaversMove(STICKY, given);
    }

    @Property(tries = 300)
    void theRingMovesOnlyToTheOneThatJoins(@ForAll("large") Case given) {
        Map<Integer, String> before = given.assignedBy(RING);
        List<Candidate> more = with(given.members, new Candidate("joiner", 3));
        RING.assign(given.partitions, more, before).forEach((p, owner) -> {
            if (!owner.equals(before.get(p))) {
                assertThat(owner).isEqualTo("joiner");
            }
        });
    }

    @Property(tries = 300)
    void theRingMovesOnlyWhatTheOneThatLeavesHad(@ForAll("large") Case given) {
        assertOnlyTheLeaversMove(RING, given);
    }

    @Property(tries = 300)
    void moduloIsTheFormula(@ForAll("large") Case given) {
        List<String> sorted = given.members.stream().map(Candidate::id).sorted().toList();
        given.assignedBy(new ModuloAssigner())
                .forEach((p, owner) -> assertThat(sorted.indexOf(owner)).isEqualTo(p % sorted.size()));
    }

    private static void assertOnlyTheLeaversMove(Assigner assigner, Case given) {
        Map<Integer, String> before = given.assignedBy(assigner);
        String leaver = given.members.getFirst().id();
        List<Candidate> fewer = given.members.subList(1, given.members.size());
        assigner.assign(given.partitions, fewer, before).forEach((p, owner) -> {
            if (!before.get(p).equals(leaver)) {
                assertThat(owner).isEqualTo(before.get(p));
            }
        });
    }

    private static void assertBalanced(Case given, Map<Integer, String> owners) {
        for (Candidate member : given.members) {
            long owned = owners.values().stream().filter(member.id()::equals).count();
            assertThat(owned).isBetween(least(given, member), most(given, member));
        }
    }

    private static long least(Case given, Candidate member) {
        return (long) given.partitions * member.weight() / weight(given);
    }

    private static long most(Case given, Candidate member) {
        return ((long) given.partitions * member.weight() + weight(given) - 1) / weight(given);
    }

    private static long weight(Case given) {
        return given.members.stream().mapToLong(Candidate::weight).sum();
    }

    private static int kept(Case given, Map<Integer, String> owners) {
        return (int) IntStream.range(0, given.partitions)
                .filter(p -> owners.get(p).equals(given.current.get(p)))
                .count();
    }

    /** Tries every owner for every partition; -1 when nothing balanced comes of it. */
    private static int mostKept(Case given, int partition, Map<String, Integer> owned) {
        if (partition == given.partitions) {
            boolean balanced = given.members.stream()
                    .allMatch(member -> owned.getOrDefault(member.id(), 0) >= least(given, member));
            return balanced ? 0 : -1;
        }
        int best = -1;
        for (Candidate member : given.members) {
            if (owned.getOrDefault(member.id(), 0) < most(given, member)) {
                owned.merge(member.id(), 1, Integer::sum);
                int rest = mostKept(given, partition + 1, owned);
                owned.merge(member.id(), -1, Integer::sum);
                int here = member.id().equals(given.current.get(partition)) ? 1 : 0;
                best = rest < 0 ? best : Math.max(best, rest + here);
            }
        }
        return best;
    }

    private static List<Candidate> with(List<Candidate> members, Candidate another) {
        List<Candidate> more = new ArrayList<>(members);
        more.add(another);
        return more;
    }

    @Provide
    Arbitrary<Case> small() {
        return cases(1, 7, 4, 5);
    }

    @Provide
    Arbitrary<Case> large() {
        return cases(2, 200, 30, 20);
    }

    @Provide
    Arbitrary<Case> equals() {
        return cases(2, 200, 30, 1);
    }

    private static Arbitrary<Case> cases(int fewest, int partitions, int members, int weight) {
        Arbitrary<Integer> counts = Arbitraries.integers().between(1, partitions);
        Arbitrary<List<Candidate>> some = Arbitraries.integers()
                .between(1, weight)
                .list()
                .ofMinSize(fewest)
                .ofMaxSize(members)
                .map(weights -> IntStream.range(0, weights.size())
                        .mapToObj(k -> new Candidate("m" + k, weights.get(k)))
                        .toList());
        Arbitrary<Map<Integer, String>> current = Arbitraries.maps(
                        Arbitraries.integers().between(-1, partitions),
                        Arbitraries.integers().between(0, members + 1).map(k -> "m" + k))
                .ofMaxSize(partitions);
        return Combinators.combine(counts, some, current).as(Case::new);
    }
}
