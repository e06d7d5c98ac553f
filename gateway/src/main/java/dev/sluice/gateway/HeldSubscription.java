package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Reason;
import dev.sluice.match.Filter;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.RawBson;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription and the application's code behind it. One event at a time, whatever arrives at once: so the callback
 * needs no lock of its own, and no event of an owner that was replaced comes behind one of its successor.
 */
final class HeldSubscription {
    private static final Logger LOG = LoggerFactory.getLogger(HeldSubscription.class);

    private static final String EVERYTHING = "{}";

    /** Less than a Streamer waits for an answer. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);

    /** So long after a change of priority something may come in the old one. */
    private static final Duration ON_ITS_WAY = Duration.ofSeconds(60);

    /** So long nobody blames an event that fails: what the application needs may be away for a moment. */
    private static final Duration BLAMED_AFTER = Duration.ofSeconds(60);

    /** What the Streamer said to its registration. */
    enum Standing {
        ASKED,
        /** Nothing, so that it may have it or not. */
        UNANSWERED,
        REGISTERED,
        /** It had it and lost it, and does not want it back now. */
        REFUSED
    }

    private final Subscription subscription;
    private final EventCallback callback;
    private final Filter filter;

    /** It may be told what was sent to every gateway, because nobody knows whose it is. */
    private final boolean looksAgain;

    private final Repeats repeats;
    private final ReentrantLock turn;
    private final LongSupplier nanos;
    private String failing = "";
    private long failingSince;
    private final ResumePoint resume;
    private final long since;

    /** A subscription of the same id was replaced: events sent before may bring markers ahead of the new beginning. */
    private boolean startedOver;

    /** Nothing at or before it is owed to it; null until the Streamer has said where it begins. */
    private volatile @Nullable ProgressMarker begins;

    private final Set<Priority> formerly = EnumSet.noneOf(Priority.class);
    private final AtomicReference<Standing> standing = new AtomicReference<>(Standing.ASKED);

    /** @throws InvalidInputException when its filter is none */
    HeldSubscription(Subscription subscription, EventCallback callback, Repeats repeats, LongSupplier nanos) {
        this(subscription, callback, repeats, nanos, null, new Exceptions());
    }

    /**
     * @param passed what the Streamer's partitions tell; null where that does not count for this subscription
     * @param had what the client that came back has had
     */
    HeldSubscription(
            Subscription subscription,
            EventCallback callback,
            Repeats repeats,
            LongSupplier nanos,
            @Nullable PassedPartitions passed,
            Exceptions had) {
        this(subscription, callback, repeats, nanos, new ReentrantLock(), false, passed, had);
    }

    private HeldSubscription(
            Subscription subscription,
            EventCallback callback,
            Repeats repeats,
            LongSupplier nanos,
            ReentrantLock turn,
            boolean adopted,
            @Nullable PassedPartitions passed,
            Exceptions had) {
        this.nanos = nanos;
        this.since = nanos.getAsLong();
        this.turn = turn;
        this.subscription = subscription;
        this.callback = callback;
        // What the Streamer told it has matched itself; its filters may be newer than this library.
        this.filter = Filter.parse(adopted ? EVERYTHING : subscription.filter());
        this.looksAgain = !adopted && subscription.gatewayId().isEmpty();
        this.repeats = repeats;
        this.resume = new ResumePoint(
                subscription.id(),
                subscription.gatewayId().isEmpty() ? null : passed,
                subscription
                        .from()
                        .map(marker -> new Reached(marker.encode(), marker))
                        .orElse(Reached.NOTHING),
                had);
        this.begins = subscription.from().orElse(null);
    }

    /** One that the Streamer told this gateway. */
    static HeldSubscription adopted(Subscription told, EventCallback callback, Repeats repeats, LongSupplier nanos) {
        return new HeldSubscription(told, callback, repeats, nanos, new ReentrantLock(), true, null, new Exceptions());
    }

    /** One that was adopted has another definition; what was told stays told. */
    HeldSubscription toldAgain(Subscription changed, EventCallback other) {
        HeldSubscription replacement =
                new HeldSubscription(changed, other, repeats, nanos, turn, true, null, new Exceptions());
        replacement.resume.continues(resume);
        return replacement;
    }

    /**
     * Another question under the same id; what was told stays told, unless it asks to begin at a marker. They take turns:
     * the old one may be at an event still.
     */
    HeldSubscription replacedBy(Subscription changed, EventCallback other, Repeats fresh) {
        return replacedBy(changed, other, fresh, null, new Exceptions());
    }

    HeldSubscription replacedBy(
            Subscription changed,
            EventCallback other,
            Repeats fresh,
            @Nullable PassedPartitions passed,
            Exceptions had) {
        boolean beginsAnew = changed.from().isPresent();
        HeldSubscription replacement =
                new HeldSubscription(changed, other, beginsAnew ? fresh : repeats, nanos, turn, false, passed, had);
        replacement.formerly.addAll(formerly);
        if (changed.priority() != subscription.priority()) {
            replacement.formerly.add(subscription.priority());
        }
        replacement.startedOver = beginsAnew;
        if (!beginsAnew) {
            replacement.resume.continues(resume);
        }
        replacement.begins = beginsAnew ? replacement.begins : begins;
        return replacement;
    }

    String id() {
        return subscription.id();
    }

    Subscription subscription() {
        return subscription;
    }

    /** Who has a filter and names no document cannot be told exactly of a delete whose document nobody kept. */
    boolean isToldOfUnknown() {
        return !filter.isEverything() && subscription.documentId().isEmpty();
    }

    boolean isOfTenant(String tenant) {
        return subscription.tenant().isEmpty() || subscription.tenant().equals(tenant);
    }

    /**
     * The Streamer tells one of this priority for all; one without a gateway stands for itself. What is on its way in the
     * priority that this one had before concerns it, too.
     */
    boolean isStoodForIn(Priority priority) {
        return !subscription.gatewayId().isEmpty()
                && (subscription.priority() == priority
                        || formerly.contains(priority) && nanos.getAsLong() - since < ON_ITS_WAY.toNanos());
    }

    Handling handle(Incoming incoming, Fence fence) {
        return inTurn(() -> handleNow(incoming, fence));
    }

    /** An event that came for another subscription and concerns this one, too. */
    Handling handleAlso(Incoming incoming, Priority priority, Fence fence) {
        return inTurn(() -> {
            if (fence.isStale(incoming.partition(), incoming.token())) {
                return new Handling.Stale();
            }
            ReceivedEvent event = incoming.event();
            ProgressMarker start = begins;
            if (start == null && standing() == Standing.ASKED) {
                return new Handling.Failed("where subscription " + id() + " begins is not known yet: send it again");
            }
            if (start != null && isAtOrBefore(event, start)) {
                return Handling.Done.FILTERED;
            }
            if (resume.hasHad(incoming)) {
                return Handling.Done.REPEAT;
            }
            if (repeats.hasId(event) || repeats.wasToldAlso(event, priority)) {
                return Handling.Done.REPEAT;
            }
            Handling handling = tell(event.toldTo(id()), Reached.NOTHING);
            if (handling == Handling.Done.HANDLED) {
                repeats.toldAlso(event, priority);
            }
            return handling;
        });
    }

    /**
     * Whether the event was there before the subscription began, whatever backend it is of: its document may have come back
     * since, and nobody would tell. Of two events of one time nobody knows the order.
     */
    private static boolean isAtOrBefore(ReceivedEvent event, ProgressMarker start) {
        EventId id;
        try {
            id = EventId.parse(event.eventId());
        } catch (InvalidInputException another) {
            return false;
        }
        return !start.positions().isEmpty()
                && start.positions().values().stream()
                        .allMatch(at -> at.equals(id) || id.time().compareTo(at.time()) < 0);
    }

    /** Tells it that changes are missing; false: it could not hear it now. */
    boolean tellResync(long now) {
        ReceivedEvent resync = ReceivedEvent.resync(id(), subscription.tenant(), subscription.collection(), now);
        return inTurn(() -> tellOwn(resync, Reached.NOTHING)) == Handling.Done.HANDLED;
    }

    /** A callback that hangs must not collect everybody who comes again with its events. */
    private Handling inTurn(Supplier<Handling> work) {
        try {
            if (!turn.tryLock(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                return new Handling.Failed("subscription " + id() + " is still at an earlier event");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return new Handling.Failed("this gateway is being stopped");
        }
        try {
            return work.get();
        } finally {
            turn.unlock();
        }
    }

    private Handling handleNow(Incoming incoming, Fence fence) {
        if (fence.isStale(incoming.partition(), incoming.token())) {
            return new Handling.Stale();
        }
        if (!repeats.isOfLatestRevision(incoming)) {
            return new Handling.Failed("subscription " + id() + " has changed since revision " + incoming.revision()
                    + ": send what the changed one matches");
        }
        boolean repeat = repeats.hasSeq(incoming) || repeats.hasId(incoming.event()) || resume.hasHad(incoming);
        Handling handling = repeat ? Handling.Done.REPEAT : tellInTurn(incoming);
        if (handling instanceof Handling.Done) {
            repeats.handledSeq(incoming);
        }
        return handling;
    }

    private Handling tellInTurn(Incoming incoming) {
        ReceivedEvent event = incoming.event();
        if (!event.progress().isEmpty() && resume.isMovedByMarkers(incoming.revision())) {
            return tellOwn(event, Reached.at(event.progress()));
        }
        if (event.type() == EventType.RESYNC) {
            // The history that exceptions are of may be another one.
            resume.beginsAgainAt(Reached.NOTHING);
        }
        // Before it is told: its id covers it, and everything earlier of its stream has been told.
        resume.gets(incoming);
        boolean known = !resume.isMovedByMarkers(incoming.revision());
        return tellOwn(known ? event.withResumeId(resume.base().text(), resume.text()) : event, Reached.NOTHING);
    }

    private Handling tellOwn(ReceivedEvent event, Reached sent) {
        Handling handling = tell(event, sent);
        if (handling == Handling.Done.HANDLED) {
            repeats.handledId(event);
        }
        return handling;
    }

    /** @param sent a marker that came with it and moves the resume point; nothing where none does */
    private Handling tell(ReceivedEvent event, Reached sent) {
        try {
            if (!concerns(event)) {
                return Handling.Done.FILTERED;
            }
            if (event.type() == EventType.RESYNC) {
                callback.receive(event);
                beginsAgainAt(sent);
            } else {
                callback.receive(
                        sent.isNothing()
                                ? event
                                : event.withProgress(after(sent).text()));
                reached(sent);
            }
            return Handling.Done.HANDLED;
        } catch (RejectedException rejected) {
            return new Handling.Rejected(Reason.brief(rejected.reason()));
        } catch (Exception failed) {
            return failed(event, failed);
        }
    }

    private Handling failed(ReceivedEvent event, Exception why) {
        if (why instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        long now = nanos.getAsLong();
        if (!event.eventId().equals(failing)) {
            failing = event.eventId();
            failingSince = now;
            LOG.warn("Subscription {} could not handle event {}; it comes again", id(), event.eventId(), why);
        }
        boolean asked = why instanceof NotNowException || why instanceof InterruptedException;
        return new Handling.Failed(
                "subscription " + id() + " could not handle event " + event.eventId() + ": " + Reason.of(why),
                !asked && now - failingSince >= BLAMED_AFTER.toNanos());
    }

    /** What is sent to every gateway, because nobody knows whose the subscription is, is looked at again here. */
    private boolean concerns(ReceivedEvent event) {
        return switch (event.type()) {
            case INSERT, UPDATE, REPLACE, ENTER ->
                !looksAgain
                        || isInScope(event)
                                && event.document().map(this::matches).orElse(true);
            case DELETE, LEAVE -> !looksAgain || isInScope(event);
            case DROP, RENAME, INVALIDATE, RESYNC -> true;
        };
    }

    private boolean isInScope(ReceivedEvent event) {
        Optional<String> only = subscription.documentId();
        return subscription.collection().equals(event.collection())
                && isOfTenant(event.tenant())
                && (only.isEmpty() || only.get().equals(event.documentId()));
    }

    private boolean matches(String document) {
        return filter.isEverything() || filter.matches(RawBson.of(BsonDocument.parse(document)));
    }

    /**
     * Moves the marker it may go on from. The Streamer sends the lowest of all subscriptions of this gateway, which goes back
     * when another one begins in the past: this one has got further and stays there.
     */
    void reached(Reached sent) {
        resume.reached(sent, hasJustStartedOver());
    }

    /** Moves it as a renewal says, unless the partitions tell how far they have got. */
    void renewed(Reached sent, Reached asked, long generation) {
        resume.known(asked, generation);
        if (resume.isMovedByMarkers(0)) {
            reached(sent);
        }
    }

    private Reached after(Reached sent) {
        return hasJustStartedOver() ? sent : resume.base().or(sent);
    }

    private boolean hasJustStartedOver() {
        return startedOver && nanos.getAsLong() - since < ON_ITS_WAY.toNanos();
    }

    /** Sets the marker after changes were lost, also back: the source's history may be another one. */
    void beginsAgainAt(Reached sent) {
        resume.beginsAgainAt(sent);
    }

    /** It was lost and registered again, from where it was. */
    void registeredAgain(long revision, long generation) {
        resume.registeredAgain(revision, generation);
        forgetRevisions();
    }

    /** The Streamer may have lost its registry: revisions of the one it has now cannot be compared with earlier ones. */
    void forgetRevisions() {
        repeats.forgetRevisions();
    }

    /** The Streamer does not have it any more. */
    void isLost() {
        resume.lost();
    }

    /** As {@link #progress}. */
    Reached base() {
        return resume.base();
    }

    /** Where it may go on without losing anything; empty before the Streamer said so. */
    String progress() {
        return resume.base().text();
    }

    /** {@link #progress} and what this subscription has got beyond it, as the text of a {@link ResumeId}. */
    String resumeId() {
        return resume.text();
    }

    /** The Streamer took it as it is, unless it has been given an earlier one meanwhile. */
    void answered(String marker) {
        answered(marker, 0, PassedPartitions.NONE);
    }

    /** @param generation that partitions told before the Streamer was asked */
    void answered(String marker, long revision, long generation) {
        // With a marker of its own it has not got further than that.
        resume.registered(Reached.at(marker), revision, generation);
        if (begins == null) {
            begins = marker.isEmpty() ? ProgressMarker.NOWHERE : ProgressMarker.decode(marker);
        }
        standing.compareAndSet(Standing.ASKED, Standing.REGISTERED);
    }

    void stands(Standing now) {
        standing.set(now);
    }

    Standing standing() {
        return Objects.requireNonNull(standing.get());
    }
}
