package dev.sluice.route;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Replacement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition that is ours: how far its head has been read, how far each class of each gateway has got, and what of it is
 * on its way. The head and every catch-up hand their events in, in turn; none of them ever waits for a gateway.
 *
 * <p>It joins its parts, and holds their one lock while they work: {@link Intake} takes what the head reads, {@link
 * Rereading} what is read again, {@link Backlog} says who that is, {@link Dispatch} puts both into lanes, {@link
 * SubscriptionChanges} and {@link Broadcasts} move those who begin in the past or go elsewhere, {@link SavePoint} says what
 * may be saved of all that.
 */
final class Partition implements Sender {
    private static final Logger LOG = LoggerFactory.getLogger(Partition.class);

    private final Ownership ownership;
    private final Surroundings around;
    private final PositionReport report;
    private final Guard guard = new Guard();
    private final PartitionHead head;
    private final Standings standings;
    private final Births births = new Births();
    private final Numbers numbers = new Numbers();
    private final Dispatch dispatch;
    private final Rereading rereading;
    private final Backlog backlog;
    private final Intake intake;
    private final Broadcasts broadcasts;
    private final SubscriptionChanges subscriptions;
    private final ResyncOrders resyncs;
    private final SavePoint savePoint;
    private volatile boolean open = true;
    private volatile boolean takingIn = true;

    /** @param saved where the owner before left off; null: there was none */
    Partition(Ownership ownership, Surroundings around, @Nullable SavedPosition saved) {
        this.ownership = ownership;
        this.around = around;
        this.report = new PositionReport(
                this, around, saved == null ? Set.of() : saved.starting().keySet());
        StreamerSettings settings = around.settings();
        this.head = new PartitionHead(saved, new Dedup(settings.dedupSize(), settings.dedupFor()));
        this.standings = new Standings(head);
        this.dispatch = new Dispatch(this, around, head, standings.starts());
        this.rereading = new Rereading(this, around, guard, head, standings, births, dispatch, this::isTakingIn);
        this.backlog = new Backlog(around, head, standings, rereading);
        this.intake = new Intake(around, head, standings, births, backlog, dispatch);
        this.broadcasts = new Broadcasts(around.router(), head, standings, backlog);
        this.subscriptions =
                new SubscriptionChanges(this, around, head, standings, births, backlog, broadcasts, dispatch);
        this.resyncs = new ResyncOrders(this, around, head);
        this.savePoint = new SavePoint(head, standings, births, broadcasts, subscriptions.held(), resyncs);
    }

    /** Those that were behind are so again, and go on from where they were. */
    void restore(SavedPosition saved) {
        guard.locked(() -> backlog.restore(saved));
    }

    PositionReport report() {
        return report;
    }

    Ownership ownership() {
        return ownership;
    }

    Standings standings() {
        return standings;
    }

    Rereading rereading() {
        return rereading;
    }

    @Override
    public int partition() {
        return ownership.partition();
    }

    @Override
    public FencingToken token() {
        return ownership.token();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /** Whether the head and the catch-ups go on. */
    boolean isTakingIn() {
        return open && takingIn;
    }

    @Override
    public long nextSeq(String subscriptionId) {
        return numbers.next(subscriptionId);
    }

    /** For a change that concerns several partitions at once. */
    <T> T locked(Supplier<T> work) {
        return guard.locked(work);
    }

    // The head.

    /** Where the head is to be read on; null: from now on, because nobody has been here before. */
    @Nullable
    ProgressMarker readOn() {
        return guard.locked(() -> head.isNowhere() ? null : head.at().marker());
    }

    /** The first batch of a partition nobody has worked on says where now was. */
    void begin(EventFeed.Batch first) {
        guard.locked(() -> head.begin(first));
    }

    /** Until this is called everything may have been sent before. */
    void headAtClaim(ProgressMarker now) {
        guard.locked(() -> head.claimedAt(now));
    }

    /**
     * One event of the head: matched, and handed to everybody it concerns.
     *
     * @param matching is told of which gateways nobody may stand for others
     */
    void take(ChangeEvent event, Function<Predicate<String>, List<Match>> matching) {
        guard.locked(() -> {
            if (isTakingIn()) {
                intake.take(event, matching);
            }
        });
    }

    void passed(ProgressMarker marker) {
        guard.locked(() -> {
            // Events of the batch that came too late to be taken lie before it.
            if (isTakingIn()) {
                head.passed(marker);
                births.headMoved();
            }
        });
    }

    /** What the head was about to read is gone: everybody falls behind, and will be told when they are read again. */
    void headLost(Set<SavedPosition.LaneKey> concerned, ProgressMarker oldest) {
        guard.locked(() -> {
            backlog.headLost(concerned);
            head.jump(oldest);
        });
    }

    /** Lanes with a full batch, or with anything new. They are to be pumped when the lock is free. */
    List<Lane> takeLanesToPump(boolean all) {
        return guard.locked(() -> dispatch.takeLanesToPump(all));
    }

    void wakeCatchUps() {
        guard.locked(standings::wake);
    }

    // Subscriptions and gateways that come, change and go.

    /** They may be somewhere else after a crash. Returns whether what they are owed must be saved. */
    boolean hold(Collection<Replacement> moving) {
        return guard.locked(() -> subscriptions.hold(moving, report::names));
    }

    void release(Collection<Replacement> staying) {
        guard.locked(() -> subscriptions.release(staying));
    }

    /** Before the index shows it. Returns whether it stands elsewhere than its class: that must be saved before others know. */
    boolean beforeAdd(Subscription subscription, @Nullable Subscription earlier) {
        return guard.locked(() -> {
            boolean apart = subscriptions.beforeAdd(subscription, earlier);
            resyncs.giveAgain(subscription.id());
            return apart;
        });
    }

    /** Begins it in the past; for one that is being restored as well. */
    void start(Subscription subscription, Positions at) {
        guard.locked(() -> subscriptions.start(subscription, at));
    }

    void ended(Subscription subscription) {
        numbers.end(subscription.id());
        int dropped = guard.locked(() -> {
            resyncs.ended(subscription.id());
            return subscriptions.ended(subscription);
        });
        around.counters().dropped.add(dropped);
        if (dropped > 0) {
            LOG.atInfo()
                    .addKeyValue("partition", partition())
                    .addKeyValue("subscription", subscription.id())
                    .addKeyValue("matches", dropped)
                    .log("a subscription ended while matches were on their way: they are dropped");
        }
    }

    void beforeReroute() {
        guard.locked(broadcasts::beforeChange);
    }

    /**
     * Other gateways serve these owners now: what is not acknowledged is read again for them.
     *
     * @param theirs those that were or are to be broadcast, with the priorities of their subscriptions
     */
    void served(List<Recipient> owners, Set<Recipient> without, Map<Recipient, Set<Priority>> theirs) {
        guard.locked(() -> {
            for (LaneProgress progress : standings.all()) {
                if (without.contains(progress.owner)) {
                    backlog.discard(progress);
                } else if (owners.contains(progress.owner)) {
                    backlog.putBack(progress, standings.startOf(progress));
                }
            }
            if (around.router().broadcasts()) {
                broadcasts.settle(theirs);
            }
            resyncs.rerouted();
        });
    }

    /** Sends RESYNC to these subscriptions, as soon as their lanes have room; part of the position until acknowledged. */
    void orderResync(Collection<String> subscriptionIds) {
        guard.locked(() -> resyncs.order(subscriptionIds));
    }

    /** To be called again and again while RESYNC is outstanding. */
    void giveResyncs() {
        guard.locked(resyncs::give).forEach(Lane::pump);
    }

    void restoreBroadcasts(Map<Recipient, Set<Priority>> theirs) {
        guard.locked(() -> {
            if (around.router().broadcasts() && !head.isNowhere()) {
                broadcasts.restored(theirs);
            }
        });
    }

    /** Those that began in the past, are at the head and have nothing on its way; each is named once. */
    List<String> takeStarted() {
        return guard.locked(standings.starts()::takeStarted);
    }

    void started(Collection<String> subscriptionIds) {
        guard.locked(() -> subscriptionIds.forEach(births::started));
    }

    boolean takeUnsavedBirths() {
        return guard.locked(births::takeUnsaved);
    }

    // Acknowledgements and positions.

    @Override
    public void settled(List<Owed> done) {
        guard.locked(() -> {
            dispatch.settled(done);
            resyncs.settled(done);
        });
        report.ifDue();
    }

    /** How many matches have been acknowledged since the claim. */
    long acknowledged() {
        return guard.locked(dispatch::acknowledged);
    }

    /** What may be saved now; null while it is not known where the head is. */
    @Nullable
    SavedPosition saved() {
        return guard.locked(savePoint::now);
    }

    /** How far these owners have acknowledged everything; null while that is not known. */
    @Nullable
    Positions lowWater(Predicate<Recipient> owners) {
        return guard.locked(() -> standings.lowWater(owners));
    }

    @Override
    public void fenced(String gatewayId, String reason, Consumer<Boolean> stillOurs) {
        LOG.atWarn()
                .addKeyValue("partition", partition())
                .addKeyValue("gateway", gatewayId)
                .addKeyValue("token", token())
                .addKeyValue("reason", reason)
                .log("a gateway knows a newer owner of the partition: the claim decides");
        around.turns().after(Duration.ZERO, () -> {
            boolean ours = report.proves();
            if (!ours) {
                close();
                around.lanes().sweep();
            }
            stillOurs.accept(ours);
        });
    }

    /** Nothing new is taken in; what is on its way goes on. */
    void stopTakingIn() {
        takingIn = false;
    }

    /** It is not ours any more: what is on its way counts for nothing. */
    void close() {
        open = false;
    }

    // For those who watch.

    boolean isStale() {
        return guard.locked(() -> standings.isStale() || !resyncs.isEmpty());
    }

    long unacknowledged() {
        return guard.locked(standings::unacknowledged);
    }

    int remembered() {
        return guard.locked(head::remembered);
    }

    /** Those that are behind, by owner. */
    Map<Recipient, List<StreamerStatus.Behind>> behind() {
        return guard.locked(() -> standings.behind(partition()));
    }
}
