package dev.sluice.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.match.MatchKind;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Replacement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** One partition by itself. */
class PartitionTest {
    private final SimulatedTurns turns = new SimulatedTurns(new Random(1));
    private final SimulatedFeed feed = new SimulatedFeed(new Random(1), turns, 1);
    private final SimulatedGateway gateway = new SimulatedGateway(new Random(1), turns);
    private final StreamerCounters counters = new StreamerCounters();
    private final Router router = new Router(RoutingMode.DIRECT, 0);
    private Supplier<String> marker = () -> "";
    private final Lanes lanes = new Lanes(
            LaneSettings.DEFAULT,
            router,
            address -> gateway,
            turns,
            counters,
            new LetterBox(new MemoryDeadLetters(), turns, counters),
            id -> marker.get());
    private final Surroundings around = new Surroundings(
            StreamerSettings.DEFAULT, feed, new SimulatedRegistry(), router, lanes, new Arriving(), turns, counters);
    private final Partition partition = new Partition(
            new SimulatedClaim(0, (number, text) -> {}).take(),
            around,
            new SavedPosition(feed.end(), feed.end(), Map.of(), Map.of()));
    private final Match match = new Match(Subscription.of("s", "g", "", "c", "{}"), MatchKind.EXACT);

    private ChangeEvent change() {
        return feed.append("db0", Operation.REPLACE, "c", "d", 0, false);
    }

    /** Row 20: marked after the lanes took it, not before. */
    @Test
    void row20_anEventThatCouldNotBeHandedOverIsTakenWhenItComesAgain() {
        lanes.up(Scene.address("g"));
        assertThat(lanes.reroute()).containsExactly(new Recipient.Gateway("g"));
        ChangeEvent event = change();
        assertThatThrownBy(() -> partition.take(event, each -> {
                    throw new IllegalStateException("a bug, once");
                }))
                .isInstanceOf(IllegalStateException.class);
        partition.take(event, each -> List.of(match));
        assertThat(counters.routed()).isEqualTo(1);
        assertThat(counters.duplicates()).isZero();
    }

    /** Half of it had been gathered: that must not come twice with it, or go out with the next. */
    @Test
    @SuppressWarnings("NullAway") // the bug
    void anEventThatFailedHalfwayLeavesNothingBehind() {
        lanes.up(Scene.address("g"));
        assertThat(lanes.reroute()).containsExactly(new Recipient.Gateway("g"));
        ChangeEvent event = change();
        Subscription broken = new Subscription(
                "b",
                "g",
                "",
                "c",
                Optional.empty(),
                "{}",
                null,
                Subscription.DEFAULT_TTL,
                Optional.empty(),
                false,
                false);
        assertThatThrownBy(() -> partition.take(event, each -> List.of(new Match(broken, MatchKind.EXACT), match)))
                .isInstanceOf(NullPointerException.class);
        partition.take(event, each -> List.of(match));
        assertThat(counters.routed()).isEqualTo(1);
    }

    @Test
    void aBugWhileABatchIsMadeIsAFailureAndNotTheEndOfItsLane() {
        lanes.up(Scene.address("g"));
        assertThat(lanes.reroute()).containsExactly(new Recipient.Gateway("g"));
        partition.take(change(), each -> List.of(match));
        marker = () -> {
            throw new IllegalStateException("a bug, once");
        };
        partition.takeLanesToPump(true).forEach(Lane::pump);
        assertThat(gateway.taken).isEmpty();
        marker = () -> "";
        turns.run(Duration.ofSeconds(1));
        assertThat(gateway.taken).hasSize(1);
        assertThat(counters.failures()).isEqualTo(1);
    }

    @Test
    void row20_anEventThatComesTwiceIsTakenOnce() {
        lanes.up(Scene.address("g"));
        assertThat(lanes.reroute()).containsExactly(new Recipient.Gateway("g"));
        ChangeEvent event = change();
        partition.take(event, each -> List.of(match));
        partition.take(event, each -> List.of(match));
        assertThat(counters.routed()).isEqualTo(1);
        assertThat(counters.duplicates()).isEqualTo(1);
    }

    @Test
    void whoHasCaughtUpFurtherThanTheHeadIsNotTakenBackWhenWhatTheHeadWasToReadIsGone() {
        lanes.up(Scene.address("g"));
        assertThat(lanes.reroute()).containsExactly(new Recipient.Gateway("g"));
        SavedPosition.LaneKey key = new SavedPosition.LaneKey(Recipient.parse("g"), Priority.NORMAL);
        ProgressMarker low = feed.end();
        change();
        change();
        ProgressMarker own = feed.end();
        SavedPosition saved = new SavedPosition(own, low, Map.of(key, own), Map.of());
        Partition again = new Partition(new SimulatedClaim(0, (number, text) -> {}).take(), around, saved);
        again.restore(saved);
        LaneProgress progress = again.standings().classes().getFirst();
        assertThat(again.rereading().passed(progress, progress.timesPutBack(), own))
                .isTrue();
        again.headLost(Set.of(), low);
        SavedPosition later = again.saved();
        assertThat(later).isNotNull();
        assertThat(later.behind()).containsEntry(key, own);
    }

    /** Its events come by another class now: a resync by the old one would come between them. */
    @Test
    void whoHasChangedItsPriorityIsNotToldOfAGapByTheClassItLeft() {
        lanes.up(Scene.address("g"));
        assertThat(lanes.reroute()).containsExactly(new Recipient.Gateway("g"));
        Subscription normal = match.subscription();
        partition.take(change(), each -> List.of(match));
        LaneProgress progress = partition.standings().classes().getFirst();
        lanes.away("g");
        partition.take(change(), each -> List.of(match));
        lanes.up(Scene.address("g"));
        ChangeEvent resync = feed.append("db0", Operation.RESYNC, "", "", 0, false);
        Positions oldest = Positions.of(feed.end());
        Subscription high = new Subscription(
                normal.id(),
                normal.gatewayId(),
                normal.tenant(),
                normal.collection(),
                normal.documentId(),
                normal.filter(),
                Priority.HIGH,
                normal.ttl(),
                normal.from(),
                normal.failover(),
                normal.transitions());
        partition.beforeAdd(high, normal);
        assertThat(partition.rereading().tellGap(progress, 0, resync, List.of(normal), oldest))
                .isTrue();
        assertThat(counters.resyncs()).isZero();
    }

    /** What is only reported may be gone after a crash: the place that was saved before would be taken for its start. */
    @Test
    void whoBeginsAnewIsHeldAsLongAsASavedPositionMayNameItsOldPlace() {
        ProgressMarker marker = feed.end();
        change();
        Subscription old = match.subscription();
        Subscription asking = new Subscription(
                old.id(),
                old.gatewayId(),
                old.tenant(),
                old.collection(),
                old.documentId(),
                old.filter(),
                old.priority(),
                old.ttl(),
                Optional.of(marker),
                old.failover(),
                old.transitions());
        assertThat(partition.beforeAdd(asking, null)).isTrue();
        assertThat(partition.report().save()).isTrue();
        partition.ended(asking);
        partition.report().now();
        assertThat(partition.hold(List.of(new Replacement(null, asking)))).isTrue();
        assertThat(partition.report().save()).isTrue();
        partition.release(List.of(new Replacement(null, asking)));
        assertThat(partition.report().save()).isTrue();
        assertThat(partition.hold(List.of(new Replacement(null, asking)))).isFalse();
    }

    /** Row 20: two databases may give the same id. */
    @Test
    void row20_theSameIdOfAnotherBackendIsAnotherEvent() {
        lanes.up(Scene.address("g"));
        assertThat(lanes.reroute()).containsExactly(new Recipient.Gateway("g"));
        ChangeEvent event = change();
        ChangeEvent other = new ChangeEvent(
                event.id(),
                "db1",
                event.operation(),
                event.tenant(),
                event.collection(),
                event.documentId(),
                event.document(),
                null,
                event.timestamp(),
                event.txnNumber(),
                false);
        partition.take(event, each -> List.of(match));
        partition.take(other, each -> List.of(match));
        partition.take(other, each -> List.of(match));
        assertThat(counters.routed()).isEqualTo(2);
        assertThat(counters.duplicates()).isEqualTo(1);
    }

    /** Row 27: the matches of a gateway that is not there are kept as the position before the first of them. */
    @Test
    void row27_whatNobodyCanTakeIsAPosition() {
        ProgressMarker before = feed.end();
        ChangeEvent event = change();
        partition.take(event, each -> List.of(match));
        SavedPosition saved = partition.saved();
        assertThat(saved).isNotNull();
        assertThat(saved.behind().values()).containsExactly(before);
        assertThat(saved.low()).isEqualTo(feed.end());
        assertThat(counters.unreachable()).isEqualTo(1);
    }
}
