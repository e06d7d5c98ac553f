package dev.sluice.gateway;

import static dev.sluice.gateway.Events.event;
import static dev.sluice.gateway.Events.representative;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.EventType;
import dev.sluice.deliver.Introductions;
import dev.sluice.grpc.SubscriptionMessages;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Row 27, at the receiving end: what a gateway does with subscriptions it is told. */
@Timeout(30)
class AdoptionTest {
    private static final Subscription OF_THE_RING = Subscription.of("s", "", "acme", "orders", "{\"n\": -1}");

    private final HeldSubscriptions own = new HeldSubscriptions();
    private final GatewayCounters counters = new GatewayCounters();

    /** In order: who was adopted and released, and the events by their subscription. */
    private final List<String> heard = new ArrayList<>();

    private final SubscriptionAdopter listing = new SubscriptionAdopter() {
        @Override
        public EventCallback adopt(Subscription subscription) {
            heard.add("adopted " + subscription.filter());
            return event -> heard.add(event.subscriptionId() + event.documentId());
        }

        @Override
        public void released(Subscription subscription) {
            heard.add("released " + subscription.id());
        }
    };

    private final Strangers strangers =
            new Strangers(null, 8, Duration.ofDays(1), new EarlierSubscriptions(System::nanoTime), System::nanoTime);
    private Receiver receiver = by(listing, 10);

    private Receiver by(@Nullable SubscriptionAdopter adopter, int most) {
        return new Receiver(
                own, new Adopted(adopter, 8, System::nanoTime, most), strangers, counters, new PassedPartitions());
    }

    private BatchOutcome receive(Introductions told, Incoming... events) {
        return receiver.receive(new IncomingBatch(List.of(events), told, false));
    }

    private static Introductions telling(Subscription... told) {
        return new Introductions(List.of(told), List.of());
    }

    private static Introductions toldBefore(String... ids) {
        return new Introductions(List.of(), List.of(ids));
    }

    private void hold(Subscription subscription) {
        HeldSubscription made = new HeldSubscription(
                subscription, event -> heard.add("own " + event.documentId()), new Repeats(8), System::nanoTime);
        made.answered("");
        own.change(subscription.id(), none -> made);
    }

    @Test
    void aSubscriptionIsAdoptedBeforeItsFirstEventAndOnce() {
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1), event("s", "b", 2)))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(receive(toldBefore("s"), event("s", "c", 3))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(heard)
                .as("what the Streamer matched is not judged again by a filter that may be older")
                .containsExactly("adopted {\"n\": -1}", "sa", "sb", "sc");
        assertThat(counters.repeats()).isEqualTo(1);
    }

    @Test
    void oneThatWasToldToAnEarlierLifeIsSentBackUntilItIsToldAgain() {
        strangers.graceIsOver();
        assertThat(receive(toldBefore("s"), event("s", "a", 1)))
                .isInstanceOfSatisfying(
                        BatchOutcome.RetryLater.class,
                        later -> assertThat(later.eventMayBeToBlame()).isFalse());
        assertThat(heard).isEmpty();
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(heard).endsWith("sa");
    }

    @Test
    void anotherDefinitionIsAdoptedAgainAndRepeatsStayKnown() {
        receive(telling(OF_THE_RING), event("s", "a", 1));
        Subscription changed = Subscription.of("s", "", "acme", "orders", "{}");
        receive(telling(changed), event("s", "a", 1), event("s", "a", 2));
        assertThat(heard).containsExactly("adopted {\"n\": -1}", "sa", "adopted {}", "sa");
    }

    @Test
    void whoAdoptsNobodyRejectsTheirEventsAloudAndTakesItsOwn() {
        receiver = by(null, 10);
        hold(Subscription.of("t", "g", "acme", "orders", "{}"));
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1)))
                .as("the application may be about to subscribe")
                .isInstanceOf(BatchOutcome.RetryLater.class);
        strangers.graceIsOver();
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1), event("t", "b", 1)))
                .isInstanceOfSatisfying(
                        BatchOutcome.PerEvent.class,
                        some -> assertThat(some.outcomes())
                                .hasExactlyElementsOfTypes(EventOutcome.Rejected.class, EventOutcome.Delivered.class));
        assertThat(heard).containsExactly("own b");
        assertThat(counters.unknown()).isZero();
    }

    @Test
    void anAdopterMayRefuseForEverOrForNow() {
        receiver = by(
                told -> {
                    throw told.id().equals("s") ? new RejectedException("no such room") : new NotNowException("soon");
                },
                10);
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1)))
                .isEqualTo(new BatchOutcome.PerEvent(List.of(new EventOutcome.Rejected("no such room"))));
        Subscription later = Subscription.of("t", "", "acme", "orders", "{}");
        assertThat(receive(telling(later), event("t", "a", 1)))
                .isInstanceOfSatisfying(
                        BatchOutcome.RetryLater.class,
                        why -> assertThat(why.reason()).contains("soon"));
    }

    @Test
    void whoRegisteredItItselfKeepsItsOwnCallback() {
        hold(Subscription.of("s", "", "acme", "orders", "{}"));
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(receive(toldBefore("s"), event("s", "b", 2))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(heard).containsExactly("own a", "own b");
    }

    @Test
    void whatWasEndedHereIsNotAdoptedWhileTheStreamerDoesNotKnowThatYet() {
        own.ends("s");
        BatchOutcome dropped = new BatchOutcome.PerEvent(List.of(EventOutcome.NOT_HELD));
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1))).isEqualTo(dropped);
        assertThat(receive(toldBefore("s"), event("s", "a", 2))).isEqualTo(dropped);
        assertThat(heard).isEmpty();
        own.hasEnded(List.of("s"));
        receive(telling(OF_THE_RING), event("s", "a", 3));
        assertThat(heard).hasSize(2);
    }

    @Test
    void aSenderThatWasReplacedTellsNothing() {
        receive(Introductions.NONE, event("x", "a", 1, new FencingToken(1, 2)));
        assertThat(receive(telling(OF_THE_RING), event("s", "a", 1))).isInstanceOf(BatchOutcome.Fenced.class);
        assertThat(heard).isEmpty();
    }

    /** Row 39: who is told of such a delete for all of this gateway does not speak of those it stands in for. */
    @Test
    void aDeleteThatStandsForThisGatewaysOwnIsNotToldToThoseOfOthers() {
        hold(Subscription.of("t", "g", "acme", "orders", "{\"n\": 1}"));
        Subscription failedOver = Subscription.of("s", "gone", "acme", "orders", "{\"n\": 1}");
        receive(telling(failedOver), event("s", "a", 1));
        Incoming delete = event("t", "d", 2, new FencingToken(1, 1), EventType.DELETE, Events.id(2));
        receive(Introductions.NONE, representative(delete, Priority.NORMAL));
        assertThat(heard).containsExactly("adopted {\"n\": 1}", "sa", "own d");
    }

    @Test
    void ofTooManyTheOneLongestWithoutAnEventIsForgottenAndComesBackWithItsNext() {
        receiver = by(listing, 1);
        Subscription other = Subscription.of("t", "", "acme", "orders", "{}");
        receive(telling(OF_THE_RING), event("s", "a", 1));
        receive(telling(other), event("t", "b", 1));
        assertThat(heard).containsExactly("adopted {\"n\": -1}", "sa", "adopted {}", "released s", "tb");
        assertThat(receive(toldBefore("s"), event("s", "c", 2))).isInstanceOf(BatchOutcome.RetryLater.class);
        assertThat(receive(telling(OF_THE_RING), event("s", "c", 2))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(heard).endsWith("sc");
    }

    @Test
    void thoseOfAGatewayThatIsGoneAreRenewedHereAndReleasedWhenTheStreamerKnowsThemNoMore() throws Exception {
        Adopted adopted = new Adopted(listing, 8, System::nanoTime);
        Subscription failedOver = new Subscription(
                "s",
                "gone",
                "acme",
                "orders",
                Optional.empty(),
                "{}",
                Priority.NORMAL,
                Subscription.DEFAULT_TTL,
                Optional.empty(),
                true,
                false);
        adopted.take(failedOver);
        adopted.take(Subscription.of("of the ring", "", "acme", "orders", "{}"));
        try (StandInStreamer streamer = new StandInStreamer();
                StreamerLink link = new StreamerLink(StreamerAccess.to(streamer.address()))) {
            streamer.subscriptions.put("s", SubscriptionMessages.write(failedOver));
            Registrations registrations =
                    new Registrations(own, adopted, link, Clock.systemUTC(), new PassedPartitions());
            registrations.renew();
            assertThat(streamer.renewed)
                    .as("who registered it without a gateway renews it")
                    .containsExactly("s");
            assertThat(heard).doesNotContain("released s");
            streamer.subscriptions.clear();
            registrations.renew();
            assertThat(heard).endsWith("released s");
            assertThat(streamer.registrations).as("it is not ours to register").isEmpty();
        }
    }

    @Test
    void whatIsEndedWhileTheStreamerIsAwayEndsThereWhenItIsBack() throws Exception {
        try (StandInStreamer streamer = new StandInStreamer();
                Gateway gateway =
                        Gateway.builder("g").streamer(streamer.address()).start()) {
            StandInStreamer.await("it is registered", () -> streamer.gateways.containsKey("g"));
            gateway.subscribe(Subscription.of("s", "", "acme", "orders", "{}"), event -> {});
            streamer.stop();
            gateway.unsubscribe("s");
            assertThat(streamer.subscriptions).containsKey("s");
            streamer.startAgain();
            StandInStreamer.await("it has ended there", () -> !streamer.subscriptions.containsKey("s"));
        }
    }
}
