package dev.sluice.coordinate.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.assign.Verdict.Reason;
import dev.sluice.coordinate.assign.Verdict.Reassign;
import dev.sluice.coordinate.assign.Verdict.Settled;
import dev.sluice.coordinate.assign.Verdict.Wait;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StabiliserTest {
    private static final StabiliserSettings SETTINGS =
            new StabiliserSettings(Duration.ofSeconds(5), Duration.ofSeconds(2), Duration.ofMillis(500));

    /** Begins where nanoTime is about to overflow, because it may. */
    private long now = Long.MAX_VALUE - 1_000_000_000L;

    private List<Candidate> ready = new ArrayList<>();
    private Set<String> leaving = Set.of();
    private boolean complete = true;
    private Stabiliser stabiliser = Stabiliser.coldStart(SETTINGS);

    @Test
    void aColdStartWaitsItsWindowForOthersAndAssignsOnce() {
        ready("A");
        assertThat(look()).isEqualTo(waiting(5_000));
        after(3_000);
        ready("A", "B");
        assertThat(look()).isEqualTo(waiting(2_000));
        after(2_000);
        ready("A", "B", "C");
        assertThat(look()).isEqualTo(new Reassign(Reason.COLD_START));
        reassigned();
        assertThat(look()).isEqualTo(new Settled());
        assertThat(stabiliser.reassignments()).isEqualTo(1);
    }

    @Test
    void aVerdictThatCouldNotBeStoredIsGivenAgain() {
        ready("A");
        look();
        after(5_000);
        assertThat(look()).isEqualTo(new Reassign(Reason.COLD_START));
        after(10);
        assertThat(look()).isEqualTo(new Reassign(Reason.COLD_START));
    }

    @Test
    void newPartitionsAreAssignedAfterTheMinimumIntervalWithoutAWindow() {
        settledWith("A", "B");
        reassigned();
        complete = false;
        assertThat(look()).isEqualTo(waiting(500));
        after(500);
        assertThat(look()).isEqualTo(new Reassign(Reason.GROWN));
        reassigned();
        complete = true;
        assertThat(look()).isEqualTo(new Settled());
    }

    @Test
    void newPartitionsWaitForTheWindowOfMembersThatChangeMeanwhile() {
        settledWith("A", "B");
        ready("A", "B", "C");
        assertThat(look()).isEqualTo(waiting(2_000));
        complete = false;
        after(2_000);
        assertThat(look()).isEqualTo(new Reassign(Reason.PLANNED));
    }

    @Test
    void joinsAndLeavesWithinOneWindowMakeOneReassignment() {
        settledWith("A", "B", "C");
        ready("A", "B", "C", "D");
        assertThat(look()).isEqualTo(waiting(2_000));
        after(1_000);
        ready("A", "C", "D", "E");
        leaving = Set.of("B");
        assertThat(look()).isEqualTo(waiting(1_000));
        after(1_000);
        assertThat(look()).isEqualTo(new Reassign(Reason.PLANNED));
        reassigned();
        assertThat(look()).isEqualTo(new Settled());
    }

    /** Otherwise members that come one a second would keep the first one waiting for ever. */
    @Test
    void laterChangesDoNotProlongTheWindow() {
        settledWith("A");
        for (int k = 0; k < 4; k++) {
            ready(Stream.of("A", "B", "C", "D", "E").limit(k + 2L).toArray(String[]::new));
            assertThat(look()).isInstanceOf(Wait.class);
            after(500);
        }
        assertThat(look()).isEqualTo(new Reassign(Reason.PLANNED));
    }

    @Test
    void aDeadMemberIsReplacedAtOnceAndTakesWaitingJoinsAlong() {
        settledWith("A", "B", "C");
        ready("A", "B", "C", "D");
        assertThat(look()).isInstanceOf(Wait.class);
        after(100);
        ready("A", "C", "D");
        assertThat(look()).isEqualTo(new Reassign(Reason.EMERGENCY));
        reassigned();
        assertThat(look()).isEqualTo(new Settled());
    }

    @Test
    void aMemberThatLeavesInOrderIsNoEmergencyUntilItIsGoneBeforeItsTurn() {
        settledWith("A", "B");
        ready("A");
        leaving = Set.of("B");
        assertThat(look()).isEqualTo(waiting(2_000));
        leaving = Set.of();
        assertThat(look()).isEqualTo(new Reassign(Reason.EMERGENCY));
    }

    @Test
    void evenEmergenciesKeepTheMinimumInterval() {
        settledWith("A", "B", "C");
        ready("A", "C");
        assertThat(look()).isEqualTo(new Reassign(Reason.EMERGENCY));
        reassigned();
        after(200);
        ready("A");
        assertThat(look()).isEqualTo(waiting(300));
        after(300);
        assertThat(look()).isEqualTo(new Reassign(Reason.EMERGENCY));
    }

    @Test
    void aMemberBackUnderItsIdWithinTheWindowMovesNothing() {
        settledWith("A", "B");
        ready("A");
        leaving = Set.of("B");
        assertThat(look()).isInstanceOf(Wait.class);
        after(1_500);
        ready("A", "B");
        leaving = Set.of();
        assertThat(look()).isEqualTo(new Settled());
        assertThat(stabiliser.skipped()).isEqualTo(1);
        after(1_000);
        ready("A", "B", "C");
        assertThat(look()).as("the next change has a window of its own").isEqualTo(waiting(2_000));
    }

    @Test
    void anAssignmentThatComesOutTheSameIsCountedAndDoesNotDelayTheNext() {
        settledWith("A");
        ready("A", "B");
        look();
        after(2_000);
        assertThat(look()).isEqualTo(new Reassign(Reason.PLANNED));
        stabiliser.unchanged(ready);
        assertThat(look()).isEqualTo(new Settled());
        assertThat(stabiliser.skipped()).isEqualTo(1);
        ready("B");
        assertThat(look()).isEqualTo(new Reassign(Reason.EMERGENCY));
    }

    @Test
    void anotherWeightIsAPlannedChange() {
        settledWith("A", "B");
        ready = new ArrayList<>(List.of(new Candidate("A", 3), new Candidate("B")));
        assertThat(look()).isEqualTo(waiting(2_000));
    }

    @Test
    void aNewLeaderOfARunningGroupHasNoColdStart() {
        stabiliser = Stabiliser.takingOver(SETTINGS, List.of(new Candidate("A"), new Candidate("B")));
        ready("A", "B");
        assertThat(look()).isEqualTo(new Settled());
        ready("B");
        assertThat(look()).isEqualTo(new Reassign(Reason.EMERGENCY));
    }

    @Test
    void withoutReadyMembersNothingIsDecidedAndTheNextOneHasItsOwnWindow() {
        ready("A");
        look();
        after(4_000);
        ready();
        assertThat(look()).isEqualTo(new Settled());
        after(4_000);
        ready("B");
        assertThat(look()).isEqualTo(waiting(5_000));
    }

    @Test
    void immediateSettingsNeverWait() {
        stabiliser = Stabiliser.coldStart(StabiliserSettings.IMMEDIATE);
        ready("A");
        assertThat(look()).isEqualTo(new Reassign(Reason.COLD_START));
        reassigned();
        ready("A", "B");
        assertThat(look()).isEqualTo(new Reassign(Reason.PLANNED));
    }

    @Test
    void impossibleSettingsAreRefused() {
        assertThatThrownBy(() -> new StabiliserSettings(Duration.ZERO, Duration.ofSeconds(-1), Duration.ZERO))
                .isInstanceOf(InvalidInputException.class)
                .hasMessage("the planned window is 0 to 1 hour, not PT-1S");
    }

    private void settledWith(String... ids) {
        ready(ids);
        stabiliser = Stabiliser.takingOver(SETTINGS, ready);
        assertThat(look()).isEqualTo(new Settled());
    }

    private void ready(String... ids) {
        ready = new ArrayList<>(Stream.of(ids).map(Candidate::new).toList());
    }

    private Verdict look() {
        return stabiliser.look(now, ready, leaving, complete);
    }

    private void reassigned() {
        stabiliser.reassigned(now, ready);
    }

    private void after(long millis) {
        now += millis * 1_000_000;
    }

    private static Wait waiting(long millis) {
        return new Wait(Duration.ofMillis(millis));
    }
}
