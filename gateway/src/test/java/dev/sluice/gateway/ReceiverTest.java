package dev.sluice.gateway;

import static dev.sluice.gateway.Events.event;
import static dev.sluice.gateway.Events.id;
import static dev.sluice.gateway.Events.redelivered;
import static dev.sluice.gateway.Events.representative;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.DeliveryReply;
import dev.sluice.deliver.EventOutcome;
import dev.sluice.deliver.EventType;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a batch, whatever it came by. */
@Timeout(30)
class ReceiverTest {
    private static final FencingToken FIRST = new FencingToken(1, 1);
    private static final BatchOutcome NOBODY_HAS_IT = new BatchOutcome.PerEvent(List.of(EventOutcome.NOT_HELD));
    private static final FencingToken SECOND = new FencingToken(1, 2);

    private final HeldSubscriptions subscriptions = new HeldSubscriptions();
    private final GatewayCounters counters = new GatewayCounters();
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private final EarlierSubscriptions earlier = new EarlierSubscriptions(nanos::get);
    private final Strangers strangers = new Strangers(null, 8, Duration.ofSeconds(10), earlier, nanos::get);
    private final Adopted adopted = new Adopted(null, 8, nanos::get);
    private final Receiver receiver = new Receiver(subscriptions, adopted, strangers, counters, new PassedPartitions());

    private void hold(String id, String filter, EventCallback callback) {
        hold(Subscription.of(id, "g", "acme", "orders", filter), callback);
    }

    private void hold(Subscription subscription, EventCallback callback) {
        ask(subscription, callback).answered("");
    }

    /** The Streamer has not answered yet. */
    private HeldSubscription ask(Subscription subscription, EventCallback callback) {
        Repeats fresh = new Repeats(8);
        subscriptions.change(
                subscription.id(),
                held -> held == null
                        ? new HeldSubscription(subscription, callback, fresh, nanos::get)
                        : held.replacedBy(subscription, callback, fresh));
        return Objects.requireNonNull(subscriptions.find(subscription.id()));
    }

    private void tell(ReceivedEvent event) {
        told.add(event.subscriptionId() + ' ' + event.eventId());
    }

    private BatchOutcome receive(Incoming... batch) {
        return receiver.receive(new IncomingBatch(List.of(batch), false));
    }

    /** From a sender that understands that some of it is wanted later. */
    private BatchOutcome receiveEach(Incoming... batch) {
        return receiver.receive(new IncomingBatch(List.of(batch), true));
    }

    /** Row 33. */
    @Test
    void withinATokenARepeatIsAcknowledgedAndNotToldAgain() {
        hold("s", "{}", this::tell);
        assertThat(receive(event("s", "a", 1), event("s", "a", 2))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(receive(event("s", "a", 2), event("s", "a", 3))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s " + id(1), "s " + id(2), "s " + id(3));
        assertThat(counters.repeats()).isOne();
    }

    /** Rows 31 and 33 together: "at or below the last" would lose what another batch overtook. */
    @Test
    void anEventThatWasOvertakenByOneOfAnotherDocumentIsStillTold() {
        hold("s", "{}", this::tell);
        receive(event("s", "b", 2));
        receive(event("s", "a", 1));
        assertThat(told).containsExactly("s " + id(2), "s " + id(1));
    }

    /** Row 33. */
    @Test
    void acrossTokensARepeatIsRecognisedByItsEventIdThoughItsNumberIsAnother() {
        hold("s", "{}", this::tell);
        receive(event("s", "a", 1), event("s", "a", 2));
        assertThat(receive(event("s", "a", 1, SECOND, EventType.UPDATE, id(2)))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(receive(event("s", "a", 2, SECOND, EventType.UPDATE, id(3)))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s " + id(1), "s " + id(2), "s " + id(3));
    }

    @Test
    void theMemoryOfEventIdsIsBoundedAndWhatIsForgottenIsToldAgain() {
        hold("s", "{}", this::tell);
        for (int k = 1; k <= 9; k++) {
            receive(event("s", "a", k));
        }
        receive(event("s", "a", 1, SECOND, EventType.UPDATE, id(2)));
        receive(event("s", "a", 2, SECOND, EventType.UPDATE, id(1)));
        assertThat(told).hasSize(10).endsWith("s " + id(1));
    }

    /** Else the document would end in the state of its first event. Other partitions' events drove that one out of memory. */
    @Test
    void whatFollowsARedeliveredEventThatIsToldAgainIsToldAgainInOrder() {
        hold("s", "{}", this::tell);
        receive(event("s", "a", 1));
        for (int k = 1; k <= 7; k++) {
            receive(new Incoming(event("s", "b", 10 + k).event(), k, 1, FIRST, null));
        }
        receive(event("s", "a", 2), event("s", "a", 3));
        told.clear();
        receive(redelivered(event("s", "a", 1, SECOND)), redelivered(event("s", "a", 2, SECOND)));
        receive(redelivered(event("s", "a", 3, SECOND)), event("s", "a", 4, SECOND));
        assertThat(told).containsExactly("s " + id(1), "s " + id(2), "s " + id(3), "s " + id(4));
    }

    @Test
    void aRedeliveredEventThatIsRecognisedForgetsNothing() {
        hold("s", "{}", this::tell);
        receive(event("s", "a", 1), event("s", "a", 2), event("s", "a", 3));
        told.clear();
        receive(redelivered(event("s", "a", 1, SECOND)), redelivered(event("s", "a", 2, SECOND)));
        receive(redelivered(event("s", "a", 3, SECOND)), event("s", "a", 4, SECOND));
        assertThat(told).containsExactly("s " + id(4));
    }

    /** The delete told for many is one of the events that follow. */
    @Test
    void aDeleteToldForManyIsToldAgainBehindARedeliveredEvent() {
        hold("s1", "{\"n\": 1}", this::tell);
        hold("s2", "{\"n\": 2}", this::tell);
        Incoming delete = event("s1", "a", 2, FIRST, EventType.DELETE, id(2));
        receive(representative(delete));
        told.clear();
        receive(redelivered(event("s2", "a", 1, SECOND)));
        Incoming again = event("s1", "a", 2, SECOND, EventType.DELETE, id(2));
        receive(representative(redelivered(again)));
        receive(representative(redelivered(again)));
        assertThat(told).containsExactly("s2 " + id(1), "s2 " + id(2));
    }

    @Test
    void aResyncIsToldHoweverOftenItComesInAnotherToken() {
        hold("s", "{}", this::tell);
        receive(event("s", "", 1, FIRST, EventType.RESYNC, id(1)));
        receive(event("s", "", 1, FIRST, EventType.RESYNC, id(1)));
        receive(event("s", "", 1, SECOND, EventType.RESYNC, id(1)));
        assertThat(told).hasSize(2);
    }

    /** Each partition sends its own, behind the changes of its own documents. */
    @Test
    void aDropIsToldOncePerPartition() {
        hold("s", "{}", this::tell);
        Incoming drop = event("s", "", 5, FIRST, EventType.DROP, id(5));
        Incoming elsewhere = new Incoming(drop.event(), 2, 1, FIRST, null);
        receive(drop);
        receive(new Incoming(event("s", "d", 1).event(), 1, 1, FIRST, null), elsewhere);
        receive(drop, elsewhere);
        assertThat(told).containsExactly("s " + id(5), "s " + id(1), "s " + id(5));
    }

    @Test
    void whatFollowedADropIsToldAgainWithIt() {
        hold("s", "{}", this::tell);
        receive(event("s", "", 1, FIRST, EventType.DROP, id(1)), event("s", "a", 2));
        receive(
                event("s", "", 1, SECOND, EventType.DROP, id(1)),
                event("s", "a", 2, SECOND, EventType.UPDATE, id(2)),
                event("s", "a", 3, SECOND, EventType.UPDATE, id(2)));
        assertThat(told).containsExactly("s " + id(1), "s " + id(2), "s " + id(1), "s " + id(2));
    }

    @Test
    void aStaleTokenFencesTheWholeBatchAndNothingOfItIsTold() {
        hold("s", "{}", this::tell);
        receive(event("s", "a", 1, SECOND));
        assertThat(receive(event("s", "b", 2, SECOND), event("s", "a", 2, FIRST)))
                .isInstanceOf(BatchOutcome.Fenced.class);
        assertThat(told).hasSize(1);
        assertThat(counters.fenced()).isOne();
    }

    /** Row 36. */
    @Test
    void anOlderGenerationIsFencedInEveryPartition() {
        hold("s", "{}", this::tell);
        receive(event("s", "a", 1, new FencingToken(2, 0)));
        Incoming old = event("s", "b", 1, new FencingToken(1, 9));
        Incoming elsewhere = new Incoming(old.event(), 1, 7, old.token(), null);
        assertThat(receive(elsewhere)).isInstanceOf(BatchOutcome.Fenced.class);
        assertThat(told).hasSize(1);
    }

    @Test
    void whatAnOwnerSentBeforeItWasReplacedIsNotToldBehindItsSuccessor() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        hold("s", "{}", event -> {
            tell(event);
            inside.countDown();
            assertThat(go.await(10, TimeUnit.SECONDS)).isTrue();
        });
        var old = new java.util.concurrent.CompletableFuture<BatchOutcome>();
        Thread.ofVirtual().start(() -> old.complete(receive(event("s", "a", 1, FIRST), event("s", "a", 2, FIRST))));
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        var successor = new java.util.concurrent.CompletableFuture<BatchOutcome>();
        Thread.ofVirtual()
                .start(() -> successor.complete(receive(event("s", "a", 1, SECOND, EventType.UPDATE, id(3)))));
        // The successor's token is known as soon as its batch is in; a batch of its own tells when that is.
        while (!(receive(new Incoming(event("x", "z", 9).event(), 9, 0, FIRST, null)) instanceof BatchOutcome.Fenced)) {
            Thread.onSpinWait();
        }
        go.countDown();
        assertThat(old.get(10, TimeUnit.SECONDS)).isInstanceOf(BatchOutcome.Fenced.class);
        assertThat(successor.get(10, TimeUnit.SECONDS)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s " + id(1), "s " + id(3));
    }

    @Test
    void aRejectionConcernsItsEventAloneAndIsNotRemembered() {
        hold("s", "{}", event -> {
            if (event.eventId().equals(id(2))) {
                throw new RejectedException("no twos");
            }
            tell(event);
        });
        assertThat(receive(event("s", "a", 1), event("s", "b", 2), event("s", "c", 3)))
                .isEqualTo(new BatchOutcome.PerEvent(
                        List.of(EventOutcome.DELIVERED, new EventOutcome.Rejected("no twos"), EventOutcome.DELIVERED)));
        assertThat(counters.rejected()).isOne();

        hold("s", "{}", this::tell);
        receive(event("s", "b", 4, FIRST, EventType.UPDATE, id(2)));
        assertThat(told).endsWith("s " + id(2));
    }

    @Test
    void aFailureMakesTheBatchComeAgainAndOnlyWhatWasNotHandledIsToldThen() {
        boolean[] fails = {true};
        hold("s", "{}", event -> {
            if (fails[0] && event.eventId().equals(id(2))) {
                throw new IllegalStateException("database away");
            }
            tell(event);
        });
        hold("t", "{}", this::tell);
        Incoming[] batch = {event("s", "a", 1), event("s", "b", 2), event("s", "b", 3), event("t", "b", 4)};
        assertThat(receive(batch)).isInstanceOf(BatchOutcome.RetryLater.class);
        assertThat(told).containsExactly("s " + id(1), "t " + id(4));
        fails[0] = false;
        assertThat(receive(batch)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s " + id(1), "t " + id(4), "s " + id(2), "s " + id(3));
    }

    /** Or a database that is away for a moment would fill the dead letters; for ever, and a bug would stop the gateway. */
    @Test
    void anEventThatStillFailsAfterAMinuteMayBeToBlameUnlessTheApplicationSaysNotNow() {
        hold("broken", "{}", event -> {
            throw new IllegalStateException("a bug");
        });
        hold("away", "{}", event -> {
            throw new NotNowException("database away");
        });
        assertThat(isBlamed(receive(event("broken", "a", 1)))).isFalse();
        assertThat(isBlamed(receive(event("away", "a", 1)))).isFalse();
        nanos.addAndGet(Duration.ofSeconds(61).toNanos());
        assertThat(isBlamed(receive(event("broken", "a", 1)))).isTrue();
        assertThat(isBlamed(receive(event("broken", "b", 2)))).isFalse();
        assertThat(isBlamed(receive(event("away", "a", 1)))).isFalse();
    }

    private static boolean isBlamed(BatchOutcome outcome) {
        return ((BatchOutcome.RetryLater) outcome).eventMayBeToBlame();
    }

    @Test
    void anUnknownSubscriptionIsAskedForAgainDuringTheGraceAndAcknowledgedLater() {
        assertThat(receive(event("s", "a", 1))).isInstanceOf(BatchOutcome.RetryLater.class);
        nanos.set(Duration.ofSeconds(11).toNanos());
        assertThat(receive(event("s", "a", 1)))
                .as("without a Streamer nobody could subscribe")
                .isInstanceOf(BatchOutcome.RetryLater.class);
        strangers.graceBegins();
        nanos.set(Duration.ofSeconds(20).toNanos());
        strangers.graceBegins();
        assertThat(receive(event("s", "a", 1))).isInstanceOf(BatchOutcome.RetryLater.class);
        nanos.set(Duration.ofSeconds(22).toNanos());
        assertThat(receive(event("s", "a", 1))).isEqualTo(NOBODY_HAS_IT);
        assertThat(counters.unknown()).isOne();
    }

    @Test
    void itsOwnSubscriptionsOfAnEarlierLifeAreAwaitedForTheirTimeToLive() {
        strangers.graceBegins();
        earlier.learn(Map.of("s", Duration.ofMinutes(5)));
        nanos.set(Duration.ofSeconds(299).toNanos());
        assertThat(receive(event("s", "a", 1))).isInstanceOf(BatchOutcome.RetryLater.class);
        assertThat(receive(event("another", "a", 1))).isEqualTo(NOBODY_HAS_IT);
        nanos.set(Duration.ofSeconds(300).toNanos());
        assertThat(receive(event("s", "a", 1))).isEqualTo(NOBODY_HAS_IT);
    }

    @Test
    void theGraceIsOverWhenTheApplicationSaysSo() {
        strangers.graceIsOver();
        assertThat(receive(event("s", "a", 1))).isEqualTo(NOBODY_HAS_IT);
    }

    @Test
    void whoTakesStrangersGetsEachEventOnce() {
        Receiver taking = new Receiver(
                subscriptions,
                adopted,
                new Strangers(this::tell, 8, Duration.ofDays(1), earlier, nanos::get),
                counters,
                new PassedPartitions());
        taking.receive(new IncomingBatch(List.of(event("s", "a", 1)), false));
        taking.receive(new IncomingBatch(List.of(event("s", "a", 1), event("t", "a", 1)), false));
        assertThat(told).containsExactly("s " + id(1), "t " + id(1));
    }

    @Test
    void whoTakesStrangersIsToldAlsoOfWhatConcernsNoCollection() {
        Intake taking = new Intake(
                new Receiver(
                        subscriptions,
                        adopted,
                        new Strangers(this::tell, 8, Duration.ofDays(1), earlier, nanos::get),
                        counters,
                        new PassedPartitions()),
                counters,
                1024);
        Incoming resync = new Incoming(ReceivedEvent.resync("s", "acme", "", 7), 1, 0, FIRST, null);
        assertThat(taking.take(10, () -> new IncomingBatch(List.of(resync), false)))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s ");
    }

    @Test
    void whoseCallbackIsReplacedWaitsForTheOldOneToReturn() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        hold("s", "{}", event -> {
            inside.countDown();
            assertThat(go.await(20, TimeUnit.SECONDS)).isTrue();
            tell(event);
        });
        Thread old = Thread.ofVirtual().start(() -> receive(event("s", "a", 1)));
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        Subscription again = Subscription.of("s", "g", "acme", "orders", "{}");
        subscriptions.change("s", held -> held == null ? null : held.replacedBy(again, this::tell, new Repeats(8)));
        Thread next = Thread.ofPlatform().start(() -> receive(event("s", "a", 2)));
        while (next.getState() != Thread.State.TIMED_WAITING && next.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(told).isEmpty();
        go.countDown();
        next.join();
        old.join();
        assertThat(told).containsExactly("s " + id(1), "s " + id(2));
    }

    /** The other one gets all the time it needs to leave while the set is being added to: it must not be able to. */
    @Test
    void whoSubscribesWhileTheLastOtherLeavesIsAmongThoseADeleteConcerns() {
        List<Thread> leaving = new ArrayList<>();
        HeldSubscriptions[] all = new HeldSubscriptions[1];
        all[0] = new HeldSubscriptions(() -> new CopyOnWriteArraySet<>() {
            @Override
            public boolean add(HeldSubscription held) {
                if (held.id().equals("s")) {
                    Thread other = Thread.ofPlatform().start(() -> all[0].change("other", gone -> null));
                    leaving.add(other);
                    waitFor(other);
                }
                return super.add(held);
            }
        });
        all[0].change("other", none -> held("other"));
        all[0].change("s", none -> held("s"));
        leaving.forEach(ReceiverTest::waitFor);
        Incoming delete = event("x", "a", 1, FIRST, EventType.DELETE, id(1));
        assertThat(all[0].concernedByUnknown(delete.event(), Priority.NORMAL))
                .extracting(HeldSubscription::id)
                .containsExactly("s");
    }

    private static void waitFor(Thread thread) {
        try {
            thread.join(Duration.ofMillis(500));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private HeldSubscription held(String id) {
        return new HeldSubscription(
                Subscription.of(id, "g", "acme", "orders", "{\"n\": 1}"), this::tell, new Repeats(8), nanos::get);
    }

    @Test
    void theReasonsOfManyRejectionsFitIntoAnAnswer() {
        List<EventOutcome> rejected = Collections.nCopies(4000, new EventOutcome.Rejected("ß".repeat(10_000)));
        String answer = ReplyJson.of(new BatchOutcome.PerEvent(rejected), 4000);
        assertThat(answer.getBytes(StandardCharsets.UTF_8).length).isLessThan(DeliveryReply.MAX_BYTES);
        assertThat(answer).contains("ßßß").contains("\"index\":3999,");
    }

    /** Row 28. */
    @Test
    void whatIsSentToEveryGatewayIsFilteredHereAndAcknowledged() {
        hold(Subscription.of("s", "", "acme", "orders", "{\"n\": {\"$gte\": 2}}"), this::tell);
        Incoming leave = event("s", "b", 3, FIRST, EventType.LEAVE, id(3));
        assertThat(receive(event("s", "a", 1), event("s", "a", 2), leave)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s " + id(2), "s " + id(3));
        assertThat(counters.filtered()).isOne();
    }

    /** Row 39. */
    @Test
    void aDeleteNobodyCanMatchIsToldToAllWhoMayBeConcernedOnce() {
        hold("s1", "{\"n\": 1}", this::tell);
        hold("s2", "{\"n\": 2}", this::tell);
        hold("everything", "{}", this::tell);
        hold(Subscription.of("other-tenant", "g", "umbrella", "orders", "{\"n\": 1}"), this::tell);
        hold(Subscription.of("any-tenant", "g", "", "orders", "{\"n\": 1}"), this::tell);
        hold(Subscription.of("other-collection", "g", "acme", "bills", "{\"n\": 1}"), this::tell);
        hold(
                new Subscription(
                        "one-document",
                        "g",
                        "acme",
                        "orders",
                        Optional.of("z"),
                        "{\"n\": 1}",
                        Priority.NORMAL,
                        Subscription.DEFAULT_TTL,
                        Optional.empty(),
                        false,
                        false),
                this::tell);
        Incoming delete = representative(event("s1", "a", 1, FIRST, EventType.DELETE, id(1)));
        assertThat(receive(delete)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(receive(delete)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactlyInAnyOrder("s1 " + id(1), "s2 " + id(1), "any-tenant " + id(1));
    }

    @Test
    void aDeleteIsToldToTheOthersAlsoWhenItsOwnSubscriptionHasJustEnded() {
        strangers.graceIsOver();
        hold("s2", "{\"n\": 2}", this::tell);
        receive(representative(event("s1", "a", 1, FIRST, EventType.DELETE, id(1))));
        assertThat(told).containsExactly("s2 " + id(1));
    }

    @Test
    void aDeleteIsToldToTheOthersAlsoWhenItsOwnSubscriptionRejectsIt() {
        hold("s1", "{\"n\": 1}", event -> {
            throw new RejectedException("no deletes");
        });
        hold("s2", "{\"n\": 2}", this::tell);
        assertThat(receive(representative(event("s1", "a", 1, FIRST, EventType.DELETE, id(1)))))
                .isEqualTo(new BatchOutcome.PerEvent(List.of(new EventOutcome.Rejected("no deletes"))));
        assertThat(told).containsExactly("s2 " + id(1));
    }

    @Test
    void aDeleteThatFailsForOneComesAgainAndEverybodyIsToldItOnceAndInOrder() {
        boolean[] fails = {true};
        hold("s1", "{\"n\": 1}", event -> {
            if (fails[0]) {
                throw new IllegalStateException("database away");
            }
            tell(event);
        });
        hold("s2", "{\"n\": 2}", this::tell);
        Incoming[] batch = {representative(event("s1", "a", 1, FIRST, EventType.DELETE, id(1))), event("s2", "a", 2)};
        assertThat(receive(batch)).isInstanceOf(BatchOutcome.RetryLater.class);
        fails[0] = false;
        assertThat(receive(batch)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s2 " + id(1), "s2 " + id(2), "s1 " + id(1));
    }

    /** The document may have come back between that delete and its registration, and nobody would tell it. */
    @Test
    void aDeleteFromBeforeItsRegistrationIsNotToldToANewcomer() {
        hold("s1", "{\"n\": 1}", this::tell);
        HeldSubscription newcomer = ask(Subscription.of("s2", "g", "acme", "orders", "{\"n\": 2}"), this::tell);
        Incoming early = representative(event("s1", "a", 4, FIRST, EventType.DELETE, id(4)));
        assertThat(receiveEach(early))
                .as("nobody knows yet whether it is before")
                .isInstanceOf(BatchOutcome.PerEvent.class);
        newcomer.answered(StandInStreamer.marker(5));
        assertThat(receiveEach(early)).isEqualTo(BatchOutcome.DELIVERED);
        receiveEach(representative(event("s1", "a", 5, FIRST, EventType.DELETE, id(5))));
        receiveEach(representative(event("s1", "a", 6, FIRST, EventType.DELETE, id(6))));
        assertThat(told).containsExactly("s1 " + id(4), "s1 " + id(5), "s1 " + id(6), "s2 " + id(6));
    }

    @Test
    void aDeleteOfAnOwnerThatWasReplacedMeanwhileIsNotToldToTheOthers() {
        hold("s2", "{\"n\": 2}", this::tell);
        hold("s1", "{\"n\": 1}", event -> {
            receive(event("s2", "a", 1, SECOND));
            tell(event);
        });
        assertThat(receive(representative(event("s1", "a", 7, FIRST, EventType.DELETE, id(7)))))
                .isInstanceOf(BatchOutcome.Fenced.class);
        assertThat(told).containsExactly("s2 " + id(1), "s1 " + id(7));
    }

    /** The marker of such an event may be older than the registration of a subscription that hears it, or ahead of it. */
    @Test
    void aDeleteToldForManyMovesNoResumePoint() {
        List<String> markers = new ArrayList<>();
        hold("s1", "{\"n\": 1}", event -> markers.add("s1 " + event.progress()));
        ask(Subscription.of("s2", "g", "acme", "orders", "{\"n\": 2}"), event -> markers.add("s2 " + event.progress()))
                .answered(StandInStreamer.marker(5));
        receive(representative(event("s1", "a", 7, FIRST, EventType.DELETE, id(7))));
        assertThat(markers).containsExactly("s1 ", "s2 ");
        assertThat(progress("s1")).isEmpty();
        assertThat(progress("s2")).isEqualTo(StandInStreamer.marker(5));
    }

    @Test
    void aDeleteToldForManyMovesNoResumePointOfWhoTakesStrangers() {
        List<String> markers = new ArrayList<>();
        Receiver taking = new Receiver(
                subscriptions,
                adopted,
                new Strangers(
                        event -> markers.add(event.eventId() + ' ' + event.progress()),
                        8,
                        Duration.ofDays(1),
                        earlier,
                        nanos::get),
                counters,
                new PassedPartitions());
        Incoming delete = event("s", "a", 7, FIRST, EventType.DELETE, id(7));
        taking.receive(new IncomingBatch(List.of(representative(delete)), false));
        assertThat(markers).containsExactly(id(7) + ' ');
    }

    private String progress(String id) {
        return Objects.requireNonNull(subscriptions.find(id)).progress();
    }

    /** It came before its turn to one that is catching up: in its turn it is told again, and so is what follows. */
    @Test
    void aDeleteThatWasToldForAnotherIsToldAgainInItsTurnWithWhatFollows() {
        hold("s1", "{\"n\": 1}", this::tell);
        hold("s2", "{\"n\": 2}", this::tell);
        Incoming early = representative(event("s1", "a", 1, FIRST, EventType.DELETE, id(3)));
        receive(early);
        receive(event("s2", "a", 4));
        told.clear();
        receive(event("s2", "a", 2), event("s2", "a", 3, FIRST, EventType.DELETE, id(3)));
        receive(event("s2", "a", 5, FIRST, EventType.UPDATE, id(4)));
        receive(early);
        assertThat(told).containsExactly("s2 " + id(2), "s2 " + id(3), "s2 " + id(4));
    }

    @Test
    void aDeleteOnItsWayInThePriorityOneHadBeforeConcernsItStill() {
        hold("s1", "{\"n\": 1}", this::tell);
        hold("s2", "{\"n\": 2}", this::tell);
        hold(low("s2"), this::tell);
        receive(representative(event("s1", "a", 1, FIRST, EventType.DELETE, id(1))));
        assertThat(told).containsExactlyInAnyOrder("s1 " + id(1), "s2 " + id(1));
    }

    @Test
    void aDeleteThatStandsForAPriorityIsToldToThoseWhateverBecameOfWhoseNameItHas() {
        hold("s1", "{\"n\": 1}", this::tell);
        hold("s2", "{\"n\": 2}", this::tell);
        subscriptions.change("s1", held -> null);
        hold(low("s1"), this::tell);
        receive(representative(event("s1", "a", 1, FIRST, EventType.DELETE, id(1))));
        assertThat(told).containsExactly("s2 " + id(1));
    }

    private static Subscription low(String id) {
        return new Subscription(
                id,
                "g",
                "acme",
                "orders",
                Optional.empty(),
                "{\"n\": 1}",
                Priority.LOW,
                Subscription.DEFAULT_TTL,
                Optional.empty(),
                false,
                false);
    }

    @Test
    void aDeleteNobodyCanMatchIsToldToThoseOfItsOwnPriority() {
        hold("s1", "{\"n\": 1}", this::tell);
        hold("s2", "{\"n\": 2}", this::tell);
        hold(low("low"), this::tell);
        receive(representative(event("s1", "a", 1, FIRST, EventType.DELETE, id(1))));
        assertThat(told).containsExactlyInAnyOrder("s1 " + id(1), "s2 " + id(1));
        receive(representative(event("low", "a", 1, FIRST, EventType.DELETE, id(1)), Priority.LOW));
        assertThat(told).hasSize(3).endsWith("low " + id(1));
    }

    @Test
    void aCallbackThatHangsHoldsUpNeitherOtherSubscriptionsNorThoseWhoComeAgain() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        hold("hangs", "{}", event -> {
            inside.countDown();
            assertThat(go.await(20, TimeUnit.SECONDS)).isTrue();
            tell(event);
        });
        hold("goes", "{}", this::tell);
        var first = new java.util.concurrent.CompletableFuture<BatchOutcome>();
        Thread.ofVirtual().start(() -> first.complete(receive(event("hangs", "a", 1))));
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(receive(event("hangs", "a", 1), event("hangs", "a", 2), event("goes", "a", 1)))
                .isEqualTo(new BatchOutcome.RetryLater("subscription hangs is still at an earlier event"));
        assertThat(told).containsExactly("goes " + id(1));
        go.countDown();
        assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(receive(event("hangs", "a", 1), event("hangs", "a", 2))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("goes " + id(1), "hangs " + id(1), "hangs " + id(2));
    }

    /** Its database is away; the others of the batch have nothing to do with it. */
    @Test
    void whatOneSubscriptionCannotHandleNowComesAgainAloneAndWithWhatFollowsIt() {
        boolean[] away = {true};
        hold("s", "{}", event -> {
            if (away[0]) {
                throw new NotNowException("database away");
            }
            tell(event);
        });
        hold("t", "{}", this::tell);
        String why = "subscription s could not handle event " + id(1) + ": database away";
        assertThat(receiveEach(event("t", "a", 1), event("s", "a", 1), event("t", "a", 2), event("s", "b", 2)))
                .isEqualTo(new BatchOutcome.PerEvent(List.of(
                        EventOutcome.DELIVERED,
                        new EventOutcome.RetryLater(why),
                        EventOutcome.DELIVERED,
                        new EventOutcome.RetryLater("an earlier event of subscription s comes again first"))));
        assertThat(counters.retried()).isOne();
        away[0] = false;
        assertThat(receiveEach(event("s", "a", 3, FIRST, EventType.UPDATE, id(1)), event("s", "b", 4)))
                .isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("t " + id(1), "t " + id(2), "s " + id(1), "s " + id(4));
    }

    /** One that only waits, or asks for later, is not named as to blame because another one breaks. */
    @Test
    void onlyTheEventThatKeepsBreakingIsToBlame() {
        hold("breaks", "{}", event -> {
            throw new IllegalStateException("bug");
        });
        hold("asks", "{}", event -> {
            throw new NotNowException("later");
        });
        Incoming[] batch = {event("breaks", "a", 1), event("breaks", "a", 2), event("asks", "a", 1)};
        assertThat(blamed(receiveEach(batch))).containsExactly(false, false, false);
        nanos.addAndGet(Duration.ofSeconds(61).toNanos());
        assertThat(blamed(receiveEach(batch))).containsExactly(true, false, false);
        assertThat(receive(batch))
                .as("an older sender")
                .isInstanceOfSatisfying(
                        BatchOutcome.RetryLater.class,
                        later -> assertThat(later.eventMayBeToBlame()).isFalse());
    }

    private static List<Boolean> blamed(BatchOutcome outcome) {
        return ((BatchOutcome.PerEvent) outcome)
                .outcomes().stream()
                        .map(each -> ((EventOutcome.RetryLater) each).eventMayBeToBlame())
                        .toList();
    }

    @Test
    void anEmptyBatchIsAProbe() {
        assertThat(receive()).isEqualTo(BatchOutcome.DELIVERED);
    }

    @Test
    void oneSubscriptionIsToldByOneThreadAtATimeAndEachDocumentInOrder() throws Exception {
        var inside = new java.util.concurrent.atomic.AtomicInteger();
        List<Integer> crowds = Collections.synchronizedList(new ArrayList<>());
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        hold("s", "{}", event -> {
            crowds.add(inside.incrementAndGet());
            order.add(event.documentId() + ' ' + event.timestamp());
            inside.decrementAndGet();
        });
        List<Thread> senders = new ArrayList<>();
        for (int document = 0; document < 8; document++) {
            String name = "d" + document;
            long first = 1 + 1000L * document;
            senders.add(Thread.ofVirtual().start(() -> {
                for (long seq = first; seq < first + 200; seq++) {
                    receive(event("s", name, seq));
                }
            }));
        }
        for (Thread sender : senders) {
            sender.join();
        }
        assertThat(crowds).hasSize(1600).containsOnly(1);
        for (int document = 0; document < 8; document++) {
            String name = "d" + document + ' ';
            List<Long> times = order.stream()
                    .filter(line -> line.startsWith(name))
                    .map(line -> Long.valueOf(line.substring(name.length())))
                    .toList();
            assertThat(times).isSorted().hasSize(200);
        }
    }

    /** Rule 3: what an earlier definition matched is owed to the present one again, in order. */
    @Test
    void whenTheRevisionRisesRememberedIdsAreForgotten() {
        hold("s", "{}", this::tell);
        receive(Events.of(event("s", "a", 1), 4, "db"), Events.of(event("s", "a", 2), 4, "db"));
        told.clear();
        Incoming again = event("s", "a", 3, FIRST, EventType.UPDATE, id(1));
        assertThat(receive(Events.of(again, 5, "db"))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s " + id(1));
    }

    @Test
    void aLowerRevisionIsNotToldAndWantedLaterAlsoFromTheNextOwner() {
        hold("s", "{}", this::tell);
        receive(Events.of(event("s", "a", 1), 5, "db"));
        assertThat(receive(Events.of(event("s", "a", 2), 4, "db"))).isInstanceOf(BatchOutcome.RetryLater.class);
        assertThat(receive(Events.of(event("s", "a", 2, SECOND), 4, "db"))).isInstanceOf(BatchOutcome.RetryLater.class);
        assertThat(receive(Events.of(event("s", "a", 3, SECOND), 5, "db"))).isEqualTo(BatchOutcome.DELIVERED);
        assertThat(told).containsExactly("s " + id(1), "s " + id(3));
    }

    @Test
    void revisionsAreComparedWithinAPartitionAndAGenerationAndOnlyWhereTold() {
        hold("s", "{}", this::tell);
        receive(Events.of(event("s", "a", 1), 5, "db"));
        receive(event("s", "a", 2));
        receive(new Incoming(event("s", "b", 3).event(), 1, 1, FIRST, null, 4, "db"));
        receive(Events.of(event("s", "a", 4, new FencingToken(2, 1)), 1, "db"));
        assertThat(told).containsExactly("s " + id(1), "s " + id(2), "s " + id(3), "s " + id(4));
    }
}
