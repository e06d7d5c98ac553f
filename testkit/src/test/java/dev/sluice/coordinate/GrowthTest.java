package dev.sluice.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.GroupStage.Member;
import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.model.FencingToken;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A group gets more partitions while it runs, and nobody stops for it. */
class GrowthTest {
    @Test
    void newPartitionsAreSharedOutAndTheOthersGoOnUndisturbed() {
        GroupStage.play(5, stage -> {
            Member a = stage.member("a");
            Member b = stage.member("b");
            stage.settle();
            List<Claim> before = List.copyOf(a.group.claims());
            before.forEach(claim -> assertThat(claim.save("4")).isTrue());
            a.told.clear();
            b.told.clear();
            new GroupControl(stage.store, GroupStage.GROUP).grow(12);
            stage.run(Duration.ofSeconds(1));
            assertThat(a.held()).hasSize(6);
            assertThat(b.held()).hasSize(6);
            assertThat(a.group.claims()).containsAll(before);
            assertThat(before).allSatisfy(claim -> assertThat(claim.save("5")).isTrue());
            assertThat(a.told).allMatch(call -> call.startsWith("assigned"));
            assertThat(b.told).allMatch(call -> call.startsWith("assigned"));
            assertThat(a.group.status().generation()).isEqualTo(1);
            assertThat(a.group.status().partitions()).isEqualTo(12);
            assertThat(a.group.claims())
                    .filteredOn(claim -> claim.partition() >= 5)
                    .allSatisfy(claim -> {
                        assertThat(claim.position()).isEmpty();
                        assertThat(claim.token()).isEqualTo(new FencingToken(1, 1));
                    });
        });
    }

    @Test
    void growthKeepsTheMinimumIntervalBetweenReassignments() {
        StabiliserSettings slow = new StabiliserSettings(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(8));
        GroupStage.play(1, stage -> {
            Member a = stage.member("a", MemberIds.fixed("a"), settings -> settings.withStabiliser(slow));
            stage.run(Duration.ofSeconds(2));
            assertThat(a.held()).hasSize(1);
            GroupControl control = new GroupControl(stage.store, GroupStage.GROUP);
            control.grow(2);
            stage.run(Duration.ofSeconds(2));
            control.grow(3);
            stage.run(Duration.ofSeconds(2));
            assertThat(a.held()).hasSize(1);
            stage.run(Duration.ofSeconds(4));
            assertThat(a.held()).hasSize(3);
            assertThat(a.group.counters().rebalances()).isEqualTo(2);
        });
    }

    /** An assigner may see it otherwise: it is asked again when members change. */
    @Test
    void growthAloneMovesNothingWhateverTheAssignerSays() {
        Assigner reversing = (partitions, members, current) -> {
            Map<Integer, String> owners = new TreeMap<>();
            for (int p = 0; p < partitions; p++) {
                owners.put(p, members.get((p + partitions) % members.size()).id());
            }
            return owners;
        };
        GroupStage.play(2, stage -> {
            Member a = stage.member("a", MemberIds.fixed("a"), settings -> settings.withAssigner(reversing));
            Member b = stage.member("b", MemberIds.fixed("b"), settings -> settings.withAssigner(reversing));
            stage.settle();
            List<Integer> ofA = a.held();
            List<Integer> ofB = b.held();
            new GroupControl(stage.store, GroupStage.GROUP).grow(3);
            stage.settle();
            assertThat(a.held()).containsAll(ofA);
            assertThat(b.held()).containsAll(ofB);
            assertThat(a.held().size() + b.held().size()).isEqualTo(3);
        });
    }

    @Test
    void aNewLeaderAssignsWhatTheOldOneDidNotGetTo() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            Member b = stage.member("b");
            stage.settle();
            assertThat(a.group.status().leads()).isTrue();
            a.node.crash();
            new GroupControl(stage.store, GroupStage.GROUP).grow(4);
            stage.settle();
            assertThat(b.held()).hasSize(4);
        });
    }

    @Test
    void aGroupThatHasGrownCanStillBeDrained() {
        GroupStage.play(2, stage -> {
            Member a = stage.member("a");
            stage.settle();
            new GroupControl(stage.store, GroupStage.GROUP).grow(3);
            stage.settle();
            a.claims.values().forEach(claim -> claim.save("6"));
            a.node.fiber("operator", () -> a.group.changePartitions(2));
            stage.settle();
            assertThat(a.group.status().generation()).isEqualTo(2);
            assertThat(a.group.claims())
                    .hasSize(2)
                    .allSatisfy(claim -> assertThat(claim.position()).isEqualTo("6"));
            assertThat(stage.claim(1, 2).closed()).isTrue();
        });
    }
}
