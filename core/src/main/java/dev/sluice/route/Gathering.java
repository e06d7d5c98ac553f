package dev.sluice.route;

import dev.sluice.feed.FeedEvent;
import dev.sluice.match.MatchKind;
import dev.sluice.match.Matcher;
import dev.sluice.match.Unknowns;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Home;
import dev.sluice.subscribe.SubscriptionRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the groups whose members an event matches. For the partition's thread, within {@code registry.reading}. */
final class Gathering {
    private static final Logger LOG = LoggerFactory.getLogger(Gathering.class);
    private static final int MOST_EXCEPTED = 64;

    private final StreamerContext context;
    private final Displaced displaced;
    private final Audience audience;
    private final Matcher matcher;
    private final List<Group> touched = new ArrayList<>();

    /** Of the gateway whose subscriptions are told now. */
    private List<String> apart = List.of();

    Gathering(StreamerContext context, Displaced displaced, Audience audience) {
        this.context = context;
        this.displaced = displaced;
        this.audience = audience;
        this.matcher = context.registry().matcher();
    }

    /** The groups that have matches of the event. */
    List<Group> groups() {
        return touched;
    }

    /**
     * Matches an event and leaves each match with its group, in {@link Group#gathered}, until {@link #forget}. Returns how many
     * subscriptions match.
     *
     * @param extended the groups that the event is for
     * @param first whether an event that cannot be matched is counted
     */
    int gather(PartitionStream stream, FeedEvent event, Predicate<Group> extended, boolean first) {
        int[] matches = new int[1];
        Unknowns unknowns = gateway -> tellsEach(stream, event, gateway) ? null : apart(stream, gateway);
        try {
            matcher.match(event.event(), event.before(), unknowns, (subscription, kind) -> {
                matches[0]++;
                gather(stream, event, subscription, kind, extended);
            });
        } catch (InvalidInputException e) {
            forget();
            if (first) {
                unmatchable(event.event(), e);
            }
        }
        return matches[0];
    }

    private void gather(
            PartitionStream stream,
            FeedEvent event,
            Subscription subscription,
            MatchKind kind,
            Predicate<Group> extended) {
        SubscriptionRecord found = context.registry().find(subscription.id());
        if (found == null || !stream.isBehindStart(event.position(), found)) {
            return;
        }
        if (found.home() instanceof Home.Broadcast) {
            for (String gateway : audience.shown().audience(found.id())) {
                gather(stream.groups().of(found, gateway), found, kind, extended);
            }
        } else {
            gather(stream.groups().of(found, ""), found, kind, extended);
        }
    }

    private void gather(Group group, SubscriptionRecord found, MatchKind kind, Predicate<Group> extended) {
        if (!extended.test(group)) {
            if (group.isMain()) {
                // Made by the look-up, where its gateway has nothing unsettled at the tail.
                group.stream.tidy(group);
            }
        } else {
            if (group.gathered.isEmpty()) {
                touched.add(group);
            }
            group.gathered.add(new Match(found, kind, kind == MatchKind.UNKNOWN ? apart : List.of()));
        }
    }

    /**
     * Whether a delete whose document is not known must name each subscription of a gateway that it may concern: one may stand
     * for those of them only that are in their main groups, and where all are served by their own gateway and began before the
     * event.
     */
    private boolean tellsEach(PartitionStream stream, FeedEvent event, String gateway) {
        return !context.router().isKnown(gateway)
                || displaced.hasOf(gateway)
                || stream.groups().tellsEach(new Home.Gateway(gateway), event.position())
                || !stream.isBehindEveryStart(event.position());
    }

    /** The members of a gateway's side groups, for which a delete does not stand; null: too many, or the gateway cannot be told. */
    private @Nullable List<String> apart(PartitionStream stream, String gateway) {
        List<String> ids = stream.groups().sides().members(new Home.Gateway(gateway), MOST_EXCEPTED + 1);
        apart = ids;
        boolean named = ids.size() <= MOST_EXCEPTED && context.lanes().understandsExcept(gateway);
        return ids.isEmpty() || named ? ids : null;
    }

    void forget() {
        for (Group group : touched) {
            group.gathered.clear();
        }
        touched.clear();
    }

    /** Every event passes the tail once, so only the tail counts: a group behind meets the same event again. */
    private void unmatchable(ChangeEvent event, InvalidInputException reason) {
        context.counters().unmatchable.increment();
        LOG.atError()
                .addKeyValue("event", event.id())
                .addKeyValue("backend", event.backend())
                .addKeyValue("reason", reason.getMessage())
                .log("an event's document is not BSON: it is delivered to no subscription");
    }
}
