package dev.sluice.gateway;

import dev.sluice.deliver.EventType;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import org.jspecify.annotations.Nullable;

/**
 * Where one subscription may go on without missing an event: a marker, its base, and the streams in which it has got further
 * ({@link Exceptions}). The base begins at the registration's marker, and follows what all partitions have passed. A Streamer that
 * does not tell that sends markers with its events, which move the base instead. Any thread may call.
 */
final class ResumePoint {
    /** No generation is this one. */
    private static final long LOST = PassedPartitions.NONE - 1;

    private final String subscriptionId;

    /** Null: of another home than this gateway, so that nothing the partitions tell counts for it. */
    private final @Nullable PassedPartitions passed;

    /** What the client that came back has had: not told again. */
    private final Exceptions had;

    private final Exceptions exceptions;
    private Reached registered;
    private Reached base;

    /** Of the subscription's record; 0: not known. */
    private long revision;

    /** The generation in which the Streamer was last heard to have the subscription. */
    private long knownIn = PassedPartitions.NONE;

    /** The base when the Streamer was last asked, and had the subscription: what partitions pass later may not be of it. */
    private Reached confirmed;

    private PassedPartitions.@Nullable Lowest counted;

    /** History was lost, so that the base may go back once. */
    private boolean mayGoBack;

    /** @param from where it begins; nothing: the Streamer will say */
    ResumePoint(String subscriptionId, @Nullable PassedPartitions passed, Reached from, Exceptions had) {
        this.subscriptionId = subscriptionId;
        this.passed = passed;
        this.had = had;
        this.exceptions = had.copy();
        this.registered = from;
        this.base = from;
        this.confirmed = from;
    }

    /** Goes on where the other one is: the same subscription with another definition, which gets another revision. */
    synchronized void continues(ResumePoint before) {
        synchronized (before) {
            registered = before.registered;
            base = before.base;
            revision = before.revision;
            knownIn = before.knownIn;
            confirmed = before.confirmed;
        }
    }

    /** The generation to give to {@link #registered} or {@link #known}: to be read before the Streamer is asked. */
    long generation() {
        return passed == null ? PassedPartitions.NONE : passed.generation();
    }

    /**
     * The Streamer has answered a registration.
     *
     * @param marker where it begins, unless it was told where
     * @param generation before the Streamer was asked: numbers of revisions are compared within one generation only
     */
    synchronized void registered(Reached marker, long itsRevision, long generation) {
        registered = registered.isNothing() ? marker : registered;
        base = base.isNothing() ? registered : base;
        revised(itsRevision);
        knownIn = generation;
        confirmed = base;
    }

    /** It was lost, and registered again from its base. */
    synchronized void registeredAgain(long itsRevision, long generation) {
        registered = base;
        revision = 0;
        exceptions.clear();
        had.clear();
        registered(base, itsRevision, generation);
    }

    /**
     * The Streamer has said that it has the subscription.
     *
     * @param asked the base before it was asked
     */
    synchronized void known(Reached asked, long generation) {
        knownIn = generation;
        confirmed = asked;
    }

    /**
     * Notes that the Streamer does not have the subscription any more; since when is not known. The subscription goes on where it
     * was when the Streamer last had it, and nothing that partitions pass counts until it is registered again.
     */
    synchronized void lost() {
        if (passed != null && passed.isTold()) {
            knownIn = LOST;
            base = confirmed;
            exceptions.clear();
        }
    }

    private void revised(long to) {
        if (to > 0 && revision > 0 && to != revision) {
            exceptions.clear();
            had.clear();
            base = registered;
            counted = null;
        }
        revision = to > 0 ? to : revision;
    }

    /** Whether markers that come with events count: the Streamer tells nothing better. */
    boolean isMovedByMarkers(long eventRevision) {
        return passed == null || eventRevision == 0 && !passed.isTold();
    }

    /** Moves the base to a marker that came with an event or a renewal. */
    synchronized void reached(Reached sent, boolean alsoBack) {
        if (!sent.isNothing()) {
            base = alsoBack ? sent : base.or(sent);
        }
    }

    /** Sets the base after changes were lost, also back: the source's history may be another one. */
    synchronized void beginsAgainAt(Reached sent) {
        exceptions.clear();
        had.clear();
        mayGoBack = true;
        if (!sent.isNothing()) {
            registered = sent;
            base = sent;
            confirmed = sent;
        }
    }

    /** Whether the client that came back has had it. */
    synchronized boolean hasHad(Incoming incoming) {
        if (had.isEmpty() || incoming.event().type() == EventType.RESYNC) {
            return false;
        }
        ClusterTime time = time(incoming.event());
        return time != null && had.cover(incoming.token().generation(), incoming.partition(), incoming.log(), time);
    }

    /**
     * Notes an event that is about to be told. Only what comes in its turn says that everything earlier of its stream was told:
     * not a letter that is tried again, which is marked as redelivered, nor an event of another revision.
     */
    synchronized void gets(Incoming incoming) {
        if (passed == null
                || incoming.revision() == 0
                || revision == 0
                || incoming.log().isEmpty()) {
            return;
        }
        if (incoming.revision() > revision) {
            revised(incoming.revision());
        }
        ClusterTime time = time(incoming.event());
        boolean inTurn = incoming.revision() == revision
                && !incoming.event().redelivery()
                && incoming.event().type() != EventType.RESYNC;
        if (inTurn && time != null) {
            exceptions.add(incoming.token().generation(), incoming.partition(), incoming.log(), time);
        }
    }

    private static @Nullable ClusterTime time(ReceivedEvent event) {
        try {
            return EventId.parse(event.eventId()).time();
        } catch (InvalidInputException another) {
            return null;
        }
    }

    /** The marker alone, for the Streamer. */
    synchronized Reached base() {
        follow();
        return base;
    }

    /** Marker and exceptions, for an end user; empty before the Streamer said where it begins. */
    synchronized String text() {
        follow();
        exceptions.forgetBefore(generation());
        exceptions.forgetUpTo(base.marker());
        return base.isNothing() ? "" : exceptions.appendedTo(base.text());
    }

    @SuppressWarnings(
            "ReferenceEquality") // Each is made once; to compare them member by member would cost more than to count
    // one twice.
    private void follow() {
        PassedPartitions.Lowest lowest = passed == null ? null : passed.lowest();
        if (lowest != null
                && lowest != counted
                && revision > 0
                && knownIn == lowest.generation()
                && lowest.countsFor(subscriptionId, revision)) {
            counted = lowest;
            base = mayGoBack ? lowest.marker() : base.or(lowest.marker());
            mayGoBack = false;
        }
    }
}
