package dev.sluice.route;

import dev.sluice.feed.FeedUnavailableException;
import dev.sluice.feed.LogHead;
import dev.sluice.feed.ResolvedIds;
import dev.sluice.feed.StreamId;
import dev.sluice.lane.Awaited;
import dev.sluice.model.Position;
import dev.sluice.saved.SavedPosition;
import dev.sluice.subscribe.RegistryView;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the streams of a partition that was claimed: opens each log where the saved position says, and places every
 * subscription that stands elsewhere than its main group (rule 4).
 */
final class StreamsAtClaim {
    private final StreamerContext context;
    private final @Nullable SavedPosition saved;
    private final Map<String, ResolvedIds> resolved = new HashMap<>();
    private final Map<String, Map<String, Listed>> sides = new HashMap<>();

    /** A side member that the saved position names. */
    private record Listed(long created, Position at) {}

    /** @param saved null: the partition is new */
    StreamsAtClaim(StreamerContext context, @Nullable SavedPosition saved) {
        this.context = context;
        this.saved = saved;
    }

    /** Opens the streams; their groups are empty. Asks the feed. */
    List<PartitionStream> open(int partition, int partitions, Runnable more) {
        List<PartitionStream> streams = new ArrayList<>();
        Map<String, LogHead> logs = new TreeMap<>(context.feed().heads());
        if (logs.isEmpty()) {
            throw new FeedUnavailableException("no event log can be read yet");
        }
        for (Map.Entry<String, LogHead> log : logs.entrySet()) {
            StreamId id = new StreamId(log.getKey(), partition, partitions);
            LogHead head = log.getValue();
            SavedPosition.OfStream stream =
                    saved == null ? null : saved.streams().get(log.getKey());
            if (stream == null) {
                streams.add(new PartitionStream(
                        id, context.feed(), head, head.head(), head.head().time(), more));
            } else {
                resolve(log.getKey(), head, stream);
                streams.add(new PartitionStream(
                        id, context.feed(), head, at(log.getKey(), head, stream, stream.tail()), stream.sent(), more));
            }
        }
        return streams;
    }

    private void resolve(String log, LogHead head, SavedPosition.OfStream stream) {
        if (stream.identity() == head.identity()) {
            return;
        }
        List<Position> places = new ArrayList<>();
        places.add(stream.tail());
        stream.groups().forEach(group -> places.add(group.at()));
        resolved.put(log, ResolvedIds.ask(context.feed(), log, head.identity(), places));
    }

    private Position at(String log, LogHead head, SavedPosition.OfStream stream, Position place) {
        return stream.identity() == head.identity() ? place : resolved(log).of(place);
    }

    private ResolvedIds resolved(String log) {
        return resolved.getOrDefault(log, new ResolvedIds(Map.of()));
    }

    private Position at(PartitionStream stream, SavedPosition.OfStream of, Position place) {
        return of.identity() == stream.identity()
                ? place
                : resolved(stream.log()).of(place);
    }

    /** Places groups and subscriptions. Within {@code registry.reading}, while the registry is at the follower's revision. */
    void place(List<PartitionStream> streams, RegistryFollower follower, Displaced displaced, ResyncOrders resyncs) {
        RegistryView registry = context.registry();
        long revision = saved == null || saved.registry() != 0 && saved.registry() != registry.identity()
                ? 0
                : saved.revision();
        for (PartitionStream stream : streams) {
            placeMains(stream, revision);
        }
        registry.forEach(subscription -> {
            displaced.changed(null, subscription);
            streams.forEach(stream -> place(stream, subscription, revision, follower));
            if (subscription.resync() > revision || owesResync(subscription)) {
                resyncs.order(subscription);
            }
        });
        follower.startAt(registry.revision());
    }

    /** The gateways whose broadcast groups the saved position names. */
    Set<String> broadcastGateways(PartitionStream stream) {
        Set<String> gateways = new HashSet<>();
        SavedPosition.OfStream of = of(stream);
        if (of != null) {
            for (SavedPosition.OfGroup group : of.groups()) {
                if (group.isMain()
                        && group.key().isBroadcast()
                        && !group.key().gateway().isEmpty()) {
                    gateways.add(group.key().gateway());
                }
            }
        }
        return gateways;
    }

    private SavedPosition.@Nullable OfStream of(PartitionStream stream) {
        return saved == null ? null : saved.streams().get(stream.log());
    }

    /** The saved revision, as far as it was applied to this stream. */
    private long revisionOf(SavedPosition.OfStream of, long revision) {
        return saved == null ? 0 : Math.min(revision, saved.revisionOf(of));
    }

    private void placeMains(PartitionStream stream, long revision) {
        SavedPosition.OfStream of = of(stream);
        if (of == null || revisionOf(of, revision) == 0) {
            return;
        }
        for (SavedPosition.OfGroup group : of.groups()) {
            Position place = at(stream, of, group.at());
            if (group.isMain() && place.isBefore(stream.tail())) {
                stream.groups()
                        .main(group.key())
                        .fallBehind(place, context.turns().nanos());
            }
        }
    }

    private void place(
            PartitionStream stream, SubscriptionRecord subscription, long wholeRevision, RegistryFollower follower) {
        stream.starts(stream.position(subscription.start()));
        SavedPosition.OfStream of = of(stream);
        long revision = of == null ? 0 : revisionOf(of, wholeRevision);
        if (of == null || subscription.created() > revision) {
            follower.placement().begin(stream, subscription, new Awaited());
            return;
        }
        Position listed = listed(stream, of, subscription);
        if (subscription.isChangedAbove(revision)) {
            Position place = listed != null ? listed : at(stream, of, of.lowestMain());
            place = Position.lower(place, Placement.since(stream, subscription, revision));
            follower.placement().place(stream, subscription, place, Position.START, new Awaited());
        } else if (listed != null) {
            follower.placement().place(stream, subscription, listed, Position.START, new Awaited());
        }
    }

    /** The lowest place of the side groups that the saved position lists this incarnation in; null: none does. */
    private @Nullable Position listed(
            PartitionStream stream, SavedPosition.OfStream of, SubscriptionRecord subscription) {
        return sides(stream.log(), of).get(subscription.id()) instanceof Listed side
                        && (side.created == 0 || side.created == subscription.created())
                ? at(stream, of, side.at)
                : null;
    }

    private Map<String, Listed> sides(String log, SavedPosition.OfStream of) {
        return sides.computeIfAbsent(log, none -> {
            Map<String, Listed> found = new HashMap<>();
            for (SavedPosition.OfGroup group : of.groups()) {
                if (group.members() != null) {
                    group.members()
                            .forEach(member -> found.merge(
                                    member.id(),
                                    new Listed(member.created(), group.at()),
                                    (one, two) -> one.at.isBefore(two.at) ? one : two));
                }
            }
            return found;
        });
    }

    private boolean owesResync(SubscriptionRecord subscription) {
        return saved != null
                && saved.resync().stream()
                        .anyMatch(each -> each.id().equals(subscription.id())
                                && (each.created() == 0 || each.created() == subscription.created()));
    }
}
