package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How far something has got: ids of one cluster time have no order, and whatever is done with them loses nothing. */
class PositionsTest {
    private static final EventId A = id(5, 1);
    private static final EventId B = id(5, 2);
    private static final EventId LATER = id(6, 3);

    private static EventId id(long time, long hash) {
        return new EventId(ClusterTime.of(time, 0), hash);
    }

    private static Positions at(EventId id) {
        return Positions.of(new ProgressMarker(Map.of("db", id)));
    }

    @Test
    void theLowerOfTwoIdsOfOneTimeIsWhatIsBeforeThatTime() {
        Positions low = at(A);
        low.lower(at(B));
        assertThat(low.at("db")).isEqualTo(id(5, 0));
        Positions same = at(A);
        same.lower(at(A));
        assertThat(same.at("db")).isEqualTo(A);
        Positions earlier = at(LATER);
        earlier.lower(at(B));
        assertThat(earlier.at("db")).isEqualTo(B);
    }

    @Test
    void aBackendThatOneDoesNotNameStartsAtItsOldest() {
        Positions low = Positions.of(new ProgressMarker(Map.of("db", A, "other", B)));
        low.lower(at(A));
        assertThat(low.at("other")).isNull();
    }

    @Test
    void onlyTheSameIdOrALaterTimeIsSurelyReached() {
        assertThat(at(A).reaches(at(A))).isTrue();
        assertThat(at(A).reaches(at(B))).isFalse();
        assertThat(at(LATER).reaches(at(B))).isTrue();
        assertThat(at(A).reaches(Positions.of(new ProgressMarker(Map.of("db", A, "other", A)))))
                .isFalse();
    }

    /** Row 21: the low-water mark is before the first event that is not acknowledged, whatever is acknowledged behind it. */
    @Test
    void row21_aLowWaterMarkIsBeforeTheFirstEventThatIsNotDone() {
        LaneProgress progress = new LaneProgress(new Recipient.Gateway("g"), Priority.NORMAL, null);
        Pending first = new Pending(progress, "db", id(1, 1), 0, false, 2);
        Pending second = new Pending(progress, "db", id(2, 1), 1, false, 1);
        progress.add(first);
        progress.add(second);
        assertThat(progress.acknowledge(second)).isTrue();
        assertThat(progress.acknowledge(first)).isFalse();
        assertThat(progress.lowWater(at(LATER)).at("db")).isEqualTo(id(1, 1));
        assertThat(progress.acknowledge(first)).isTrue();
        assertThat(progress.lowWater(at(LATER)).at("db")).isEqualTo(LATER);
        assertThat(progress.unacknowledged()).isZero();
    }

    @Test
    void whoIsPutBackGoesOnFromItsLowWaterMarkAndWhatWasUnderWayCountsNoMore() {
        LaneProgress progress = new LaneProgress(new Recipient.Gateway("g"), Priority.NORMAL, null);
        Pending under = new Pending(progress, "db", id(1, 1), 0, true, 1);
        progress.add(under);
        assertThat(progress.owesResync()).isTrue();
        progress.putBack(progress.lowWater(at(LATER)), Instant.EPOCH);
        assertThat(progress.owesResync()).isFalse();
        assertThat(under.voided).isTrue();
        assertThat(progress.lowWater(at(LATER)).at("db")).isEqualTo(id(1, 1));
    }

    @Test
    void whoHasCaughtUpFurtherThanTheHeadNeverGoesBackToIt() {
        LaneProgress progress = new LaneProgress(new Recipient.Gateway("g"), Priority.NORMAL, null);
        progress.fallBehind(at(LATER), Instant.EPOCH);
        progress.rejoin();
        assertThat(progress.given(at(A)).at("db")).isEqualTo(LATER);
        assertThat(progress.given("db", at(A))).isEqualTo(LATER);
        assertThat(progress.lowWater(at(A)).at("db")).isEqualTo(LATER);
        EventId muchLater = id(1_000_000, 1);
        assertThat(progress.given(at(muchLater)).at("db")).isEqualTo(muchLater);
        assertThat(progress.given("db", at(muchLater))).isEqualTo(muchLater);
    }

    @Test
    void aSavedPositionIsReadAsItWasWritten() {
        ProgressMarker marker = new ProgressMarker(Map.of("db", A));
        Map<SavedPosition.LaneKey, ProgressMarker> behind = new LinkedHashMap<>();
        behind.put(new SavedPosition.LaneKey(Recipient.parse("a \"gateway\": \u0001"), Priority.LOW), marker);
        behind.put(new SavedPosition.LaneKey(Recipient.parse(""), Priority.HIGH), new ProgressMarker(Map.of("db", B)));
        SavedPosition saved =
                new SavedPosition(new ProgressMarker(Map.of("db", LATER)), marker, behind, Map.of("s\\1", marker));
        assertThat(SavedPosition.parse(saved.text(100_000))).contains(saved);
        assertThat(SavedPosition.parse("")).isEmpty();
    }

    @Test
    void aPositionThatWouldBeTooLongBeginsEarlierAndNamesNobody() {
        SavedPosition saved = new SavedPosition(
                new ProgressMarker(Map.of("db", LATER)),
                new ProgressMarker(Map.of("db", LATER)),
                Map.of(
                        new SavedPosition.LaneKey(Recipient.parse("g"), Priority.LOW),
                        new ProgressMarker(Map.of("db", A))),
                Map.of("s", new ProgressMarker(Map.of("db", id(4, 4)))));
        SavedPosition shorter = SavedPosition.parse(saved.text(1)).orElseThrow();
        assertThat(shorter.behind()).isEmpty();
        assertThat(shorter.starting()).isEmpty();
        assertThat(shorter.low().position("db")).contains(id(4, 4));
    }

    /** Row 20: what was taken is known for a while; nothing else is. */
    @Test
    void row20_onlyWhatWasMarkedIsARepeatAndOnlyForAWhile() {
        Dedup dedup = new Dedup(2, Duration.ofNanos(100));
        assertThat(dedup.contains("db", A, 0)).isFalse();
        assertThat(dedup.contains("db", A, 0)).as("asking marks nothing").isFalse();
        dedup.mark("db", A, 0);
        assertThat(dedup.contains("db", A, 99)).isTrue();
        assertThat(dedup.contains("db", A, 100)).isFalse();
        dedup.mark("db", B, 10);
        dedup.mark("db", LATER, 20);
        assertThat(dedup.contains("db", A, 20)).as("there is room for two").isFalse();
        assertThat(dedup.size()).isEqualTo(2);
    }
}
