package dev.sluice.gateway;

import dev.sluice.grpc.streamer.v1.RegisterReply;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Receives what the Streamer delivers: each event at least once, recognised repeats left out, in order per subscription
 * and document, acknowledged when the application's callback has returned. It keeps itself and its subscriptions known
 * to the Streamer, also when that loses them.
 *
 * <pre>{@code
 * try (Gateway gateway = Gateway.builder("orders-1").streamer("127.0.0.1:50052").start()) {
 *     gateway.subscribe(
 *             Subscription.of("large-orders", gateway.id(), "acme", "orders", "{\"total\": {\"$gte\": 1000}}"),
 *             event -> System.out.println(event.type() + " " + event.documentId()));
 *     …
 * }
 * }</pre>
 *
 * Closing it ends no subscription: what they miss is kept by the Streamer for the gateway's grace (300 s), until a
 * gateway of the same id is there again.
 */
public final class Gateway implements AutoCloseable {
    private static final Duration RENEW_AGAIN = Duration.ofSeconds(1);

    private final String id;
    private final int remembered;
    private final HeldSubscriptions subscriptions = new HeldSubscriptions();
    private final GatewayCounters counters = new GatewayCounters();
    private final PassedPartitions passed = new PassedPartitions();
    private final Adopted adopted;
    private final Strangers strangers;
    private final Registrations registrations;
    private final Endpoint endpoint;
    private final StreamerLink link;
    private final Presence presence;
    private final EarlierSubscriptions earlier = new EarlierSubscriptions(System::nanoTime);
    private final Loop renewals;
    private final Loop beats;
    private int announcements;

    Gateway(GatewayBuilder options) {
        this.id = options.id;
        this.remembered = options.remembered;
        this.strangers = new Strangers(options.otherwise, remembered, options.grace, earlier, System::nanoTime);
        this.adopted = new Adopted(options.adopter(), remembered, System::nanoTime);
        this.link = new StreamerLink(options.streamer);
        this.registrations = new Registrations(subscriptions, adopted, link, Clock.systemUTC(), passed);
        try {
            this.endpoint = options.endpoint.apply(new Intake(
                    new Receiver(subscriptions, adopted, strangers, counters, passed),
                    counters,
                    options.maxBatchBytes));
        } catch (RuntimeException failed) {
            link.close();
            throw failed;
        }
        String address = options.advertised == null ? endpoint.address() : options.advertised;
        this.presence = new Presence(id, address, endpoint, link, earlier, options.forgetEarlier, this::isForgotten);
        if (options.grace.isZero()) {
            earlier.clear();
        }
        Loops loops = new Loops();
        this.renewals = loops.loop("gateway-" + id + "-renewals").start(this::renew);
        this.beats = loops.loop("gateway-" + id + "-heartbeat").start(this::beat);
    }

    /** @param id stays the same when the gateway starts again, and is nobody else's */
    public static GatewayBuilder builder(String id) {
        return new GatewayBuilder(id);
    }

    private Duration beat() {
        Duration pause = presence.step();
        if (presence.isKnown()) {
            strangers.graceBegins();
        }
        if (presence.announcements() != announcements) {
            announcements = presence.announcements();
            renewals.wake();
        }
        return pause;
    }

    private void isForgotten() {
        registrations.allAreLost();
        strangers.forgetRevisions();
    }

    /** Apart from the heartbeat, which must not wait for it. */
    private Duration renew() {
        boolean done = !presence.isKnown() || registrations.step();
        return done ? presence.interval() : RENEW_AGAIN;
    }

    public String id() {
        return id;
    }

    /** Where the Streamer delivers. */
    public String address() {
        return endpoint.address();
    }

    /**
     * Returns when every change committed from now on, or behind {@link Subscription#from}, will be delivered. One with
     * the same id is replaced. Its gateway is this one, or empty: then the Streamer's routing decides.
     *
     * @return a marker it may go on from, see {@link #progress}
     * @throws InvalidInputException what is wrong with it
     * @throws QuotaExceededException when the Streamer has no room for it now
     * @throws MissedEventsException when the changes behind {@code from} are no longer kept
     * @throws StreamerUnavailableException when the Streamer does not answer. It may have taken the subscription all the
     *     same, so that stays, is told what comes, and is asked for until there is an answer; {@link #unsubscribe} ends it,
     *     and subscribing again is harmless
     */
    public String subscribe(Subscription subscription, EventCallback callback) {
        return subscribe(subscription, ResumeId.NONE, callback);
    }

    /**
     * As {@link #subscribe(Subscription, EventCallback)}, for an end user who comes back: what the user has had beyond the
     * marker, which is the subscription's {@code from}, is not told again.
     *
     * @return the text of a {@link ResumeId}, see {@link #resumeId}
     */
    public String subscribe(Subscription subscription, ResumeId after, EventCallback callback) {
        if (!subscription.gatewayId().isEmpty() && !subscription.gatewayId().equals(id)) {
            throw new InvalidInputException("subscription " + InvalidInputException.quote(subscription.id())
                    + " is of another gateway than " + InvalidInputException.quote(id));
        }
        if (presence.isForgetting()) {
            throw new StreamerUnavailableException("This gateway has not reached its Streamer yet.", null);
        }
        Repeats fresh = new Repeats(remembered);
        HeldSubscription[] mine = new HeldSubscription[1];
        HeldSubscription served = adopted.find(subscription.id());
        subscriptions.hasEnded(List.of(subscription.id()));
        // Held before it is registered: the first event may be here before the answer.
        HeldSubscription replaced = subscriptions.change(subscription.id(), held -> {
            HeldSubscription before = held == null ? served : held;
            return mine[0] = before == null
                    ? new HeldSubscription(subscription, callback, fresh, System::nanoTime, passed, after.exceptions())
                    : before.replacedBy(subscription, callback, fresh, passed, after.exceptions());
        });
        String marker = register(mine[0], replaced);
        adopted.remove(subscription.id());
        earlier.remove(subscription.id());
        return marker;
    }

    private String register(HeldSubscription held, @Nullable HeldSubscription replaced) {
        // Events that come meanwhile move it, and the caller has not seen them yet.
        String before = held.resumeId();
        long generation = passed.generation();
        try {
            RegisterReply reply = link.register(List.of(held.subscription()));
            if (reply.getRefusalsCount() > 0) {
                throw new InvalidInputException(reply.getRefusals(0).getReason());
            }
            held.answered(reply.getProgress(), reply.getRevision(), generation);
            return before.isEmpty() ? reply.getProgress() : before;
        } catch (StreamerUnavailableException unknown) {
            held.stands(HeldSubscription.Standing.UNANSWERED);
            throw unknown;
        } catch (RuntimeException refused) {
            subscriptions.change(held.id(), now -> now == held ? replaced : now);
            throw refused;
        }
    }

    /**
     * Ends it, also one that was adopted, or that this gateway registered before it started again. Events of it that are
     * under way are acknowledged and dropped.
     */
    public void unsubscribe(String subscriptionId) {
        boolean served = adopted.find(subscriptionId) != null;
        boolean awaited = earlier.remove(subscriptionId);
        if (awaited || served || subscriptions.find(subscriptionId) != null) {
            subscriptions.ends(subscriptionId);
            subscriptions.change(subscriptionId, held -> null);
            adopted.remove(subscriptionId);
            try {
                registrations.remove(List.of(subscriptionId));
            } catch (StreamerUnavailableException later) {
                // It is told so until it answers; and nobody renews it any more.
            }
        }
    }

    /** A marker the subscription may go on from without losing anything it has not been told; empty when not known. */
    public String progress(String subscriptionId) {
        HeldSubscription held = find(subscriptionId);
        return held == null ? "" : held.progress();
    }

    /** The text of a {@link ResumeId}: {@link #progress} and what the subscription has got beyond it; empty as that is. */
    public String resumeId(String subscriptionId) {
        HeldSubscription held = find(subscriptionId);
        return held == null ? "" : held.resumeId();
    }

    private @Nullable HeldSubscription find(String subscriptionId) {
        HeldSubscription held = subscriptions.find(subscriptionId);
        return held == null ? adopted.find(subscriptionId) : held;
    }

    /**
     * Says that the application has made all its subscriptions: from now on events of others are acknowledged and counted.
     * Until then, events of subscriptions that this gateway registered before it started again are sent back, as long as
     * those live; see {@link GatewayBuilder#graceAfterStart}.
     */
    public void ready() {
        earlier.clear();
        strangers.graceIsOver();
    }

    /** Why the Streamer does not know this gateway, or its subscriptions, at present; empty when all is well. */
    public Optional<String> problem() {
        String problem = presence.problem().isEmpty() ? registrations.problem() : presence.problem();
        return problem.isEmpty() ? Optional.empty() : Optional.of(problem);
    }

    /** Whether the Streamer has known this gateway since it started. */
    public boolean isRegistered() {
        return presence.announcements() > 0;
    }

    public GatewayCounters counters() {
        return counters;
    }

    /** How far the Streamer's partitions have got; for tests. */
    PassedPartitions passed() {
        return passed;
    }

    /** How many it holds of its own. */
    public int subscriptions() {
        return subscriptions.all().size();
    }

    /** How many it serves that it did not register. */
    public int adopted() {
        return adopted.size();
    }

    /** Takes no more events; callbacks that run may finish. Closing twice is harmless. */
    @Override
    public void close() {
        beats.askToStop();
        renewals.askToStop();
        endpoint.close();
        beats.interrupt();
        renewals.interrupt();
        link.close();
    }
}
