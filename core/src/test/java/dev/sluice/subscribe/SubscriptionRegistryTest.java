package dev.sluice.subscribe;

import static dev.sluice.subscribe.Registries.gateway;
import static dev.sluice.subscribe.Registries.living;
import static dev.sluice.subscribe.Registries.subscription;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SubscriptionRegistryTest {
    private final Registries here = new Registries();
    private final SubscriptionRegistry registry = here.subscriptions;

    @Test
    void aRegistrationIsToldAndShownWhenItReturns() {
        Registered registered = registry.register(List.of(subscription("a", "g"), subscription("b", "g")));
        assertThat(registered).isEqualTo(new Registered(2, List.of(), 2, Optional.of(Places.OLDEST)));
        assertThat(here.heard()).containsExactly("add a shown true", "add b shown true");
        assertThat(here.matches()).containsExactly("a", "b");
        assertThat(registry.size()).isEqualTo(2);
        assertThat(registry.counters().added()).isEqualTo(2);
    }

    @Test
    void registeringTheSameAgainChangesNothingAndRenews() {
        registry.register(List.of(subscription("a", "g")));
        here.heard();
        here.pass(Duration.ofSeconds(299));
        assertThat(registry.register(List.of(subscription("a", "g"))).accepted())
                .isEqualTo(1);
        assertThat(here.heard()).isEmpty();
        assertThat(here.store.saves).isEqualTo(1);
        here.pass(Duration.ofSeconds(299));
        assertThat(registry.find("a")).isPresent();
    }

    @Test
    void aKnownIdIsReplacedAndItsOldQuestionForgotten() {
        registry.register(List.of(subscription("a", "g")));
        Subscription other = Subscription.of("a", "h", "t", "c", "{\"a\":\"2\"}");
        registry.register(List.of(other));
        assertThat(here.heard()).containsExactly("add a shown true", "replace a shown false");
        assertThat(here.matches()).isEmpty();
        assertThat(registry.find("a")).contains(other);
        assertThat(registry.ofGateway("g")).isEmpty();
        assertThat(registry.ofGateway("h")).containsExactly(other);
        assertThat(registry.size()).isEqualTo(1);
        assertThat(registry.counters().replaced()).isEqualTo(1);
    }

    @Test
    void ofTwoWithOneIdInABatchTheLaterStays() {
        Subscription later = Subscription.of("a", "g", "t", "c", "{\"a\":\"2\"}");
        registry.register(List.of(subscription("a", "g"), later));
        assertThat(registry.find("a")).contains(later);
        assertThat(here.matches()).isEmpty();
        assertThat(here.restarted().subscriptions.find("a")).contains(later);
    }

    @Test
    void aBadFilterIsNamedAndDoesNotKeepTheOthersOut() {
        Registered registered = registry.register(List.of(
                subscription("a", "g"), Subscription.of("b", "g", "t", "c", "{\"$where\":1}"), subscription("c", "g")));
        assertThat(registered.accepted()).isEqualTo(2);
        Refusal refusal = registered.refusals().getFirst();
        assertThat(refusal.index()).isEqualTo(1);
        assertThat(refusal.id()).isEqualTo("b");
        assertThat(refusal.cause()).isEqualTo(Refusal.Cause.INVALID);
        assertThat(refusal.reason()).contains("$where");
        assertThat(here.matches()).containsExactly("a", "c");
        assertThat(registry.counters().refused(Refusal.Cause.INVALID)).isEqualTo(1);
    }

    @Test
    void aBadFilterLeavesTheEarlierOneInItsPlace() {
        registry.register(List.of(subscription("a", "g")));
        registry.register(List.of(Subscription.of("a", "g", "t", "c", "{\"$where\":1}")));
        assertThat(here.matches()).containsExactly("a");
    }

    @Test
    void quotasCountWhatTheBatchItselfAdds() {
        Registries few = new Registries(new SubscriptionQuotas(2, 3, 4));
        List<Subscription> batch = List.of(
                Subscription.of("1", "g", "t", "c", "{}"),
                Subscription.of("2", "g", "t", "c", "{}"),
                Subscription.of("3", "g", "t", "c", "{}"),
                Subscription.of("4", "h", "t", "c", "{}"),
                Subscription.of("5", "h", "t", "c", "{}"),
                Subscription.of("6", "", "", "c", "{}"),
                Subscription.of("7", "", "", "c", "{}"));
        Registered registered = few.subscriptions.register(batch);
        assertThat(registered.refusals()).extracting(Refusal::id).containsExactly("3", "5", "7");
        assertThat(registered.refusals()).extracting(Refusal::cause).containsOnly(Refusal.Cause.QUOTA);
        assertThat(registered.refusals())
                .extracting(Refusal::reason)
                .satisfiesExactly(
                        reason -> assertThat(reason).contains("gateway \"g\" has 2"),
                        reason -> assertThat(reason).contains("tenant \"t\" has 3"),
                        reason -> assertThat(reason).contains("there are 4"));
    }

    @Test
    void fewLargeOnesFillTheQuotaOfCharacters() {
        Registries few = new Registries(new SubscriptionQuotas(100, 100, 100, 150_000));
        String large = "{\"a\":\"" + "x".repeat(60_000) + "\"}";
        List<Subscription> batch = List.of(
                Subscription.of("1", "g", "t", "c", large),
                Subscription.of("2", "g", "t", "c", large),
                Subscription.of("3", "g", "t", "c", large));
        assertThat(few.subscriptions.register(batch).refusals())
                .singleElement()
                .satisfies(refusal -> assertThat(refusal.reason()).contains("150000 characters"));
        few.subscriptions.register(List.of(Subscription.of("1", "g", "t", "c", "{}")));
        assertThat(few.subscriptions.register(batch.subList(2, 3)).accepted()).isEqualTo(1);
        few.subscriptions.remove(List.of("1", "2", "3"));
        assertThat(few.subscriptions.register(batch).accepted()).isEqualTo(2);
    }

    @Test
    void aPageOfLargeOnesIsShorter() {
        String large = "{\"a\":\"" + "x".repeat(60_000) + "\"}";
        registry.register(IntStream.range(0, 40)
                .mapToObj(k -> Subscription.of("s" + k, "g", "t", "c", large))
                .toList());
        SubscriptionPage page = registry.list(new SubscriptionQuery("", "", "", "", 1000));
        assertThat(page.subscriptions().size()).isBetween(1, 20);
        assertThat(page.next()).isNotEmpty();
        assertThat(pages("", "", "")).hasSize(40);
    }

    @Test
    void aFullGatewayMayStillReplaceItsOwnAndTakeANewOneForOneRemoved() {
        Registries few = new Registries(new SubscriptionQuotas(1, 10, 10));
        few.subscriptions.register(List.of(subscription("a", "g")));
        Subscription changed = Subscription.of("a", "g", "t", "c", "{}");
        assertThat(few.subscriptions.register(List.of(changed)).accepted()).isEqualTo(1);
        assertThat(few.subscriptions.register(List.of(subscription("b", "g"))).accepted())
                .isZero();
        few.subscriptions.remove(List.of("a"));
        assertThat(few.subscriptions.register(List.of(subscription("b", "g"))).accepted())
                .isEqualTo(1);
    }

    @Test
    void whatCannotBeKeptIsNotRegistered() {
        registry.register(List.of(subscription("a", "g")));
        here.heard();
        here.store.fails = true;
        assertThatThrownBy(() -> registry.register(List.of(subscription("b", "g"))))
                .isInstanceOf(SubscriptionStoreException.class);
        assertThatThrownBy(() -> registry.remove(List.of("a"))).isInstanceOf(SubscriptionStoreException.class);
        assertThat(here.heard()).isEmpty();
        assertThat(here.matches()).containsExactly("a");
        assertThat(registry.size()).isEqualTo(1);
    }

    @Test
    void everythingIsThereAfterARestartWithAWholeTtl() {
        registry.register(List.of(subscription("a", "g"), subscription("b", "h")));
        here.pass(Duration.ofSeconds(200));
        Registries later = here.restarted();
        assertThat(later.heard()).isEmpty();
        assertThat(later.matches()).containsExactly("a", "b");
        later.pass(Duration.ofSeconds(299));
        assertThat(later.matches()).containsExactly("a", "b");
        later.pass(Duration.ofSeconds(3));
        assertThat(later.matches()).isEmpty();
    }

    @Test
    void oneThatNobodyRenewsEndsAfterItsTtlAndNotBefore() {
        registry.register(
                List.of(living("a", "g", Duration.ofSeconds(60), false), living("b", "g", Duration.ofHours(1), false)));
        here.heard();
        here.pass(Duration.ofSeconds(60));
        assertThat(here.heard()).isEmpty();
        here.pass(Duration.ofSeconds(2));
        assertThat(here.heard()).containsExactly("EXPIRED a shown false");
        assertThat(here.restarted().subscriptions.find("a")).isEmpty();
        assertThat(registry.counters().ended(SubscriptionEnd.EXPIRED)).isEqualTo(1);
        here.pass(Duration.ofMinutes(61));
        assertThat(registry.size()).isZero();
    }

    @Test
    void aListenerThatThrowsKeepsNobodyFromBeingShownOrFromEnding() {
        registry.view().onChange(() -> {
            throw new IllegalStateException("a bug");
        });
        registry.register(List.of(subscription("a", "g"), subscription("b", "g")));
        assertThat(here.matches()).containsExactly("a", "b");
        assertThat(registry.removeGateway("g")).isEqualTo(2);
        assertThat(here.matches()).isEmpty();
        assertThat(registry.size()).isZero();
    }

    @Test
    void renewingKeepsThemByIdOrByGateway() {
        registry.register(List.of(subscription("a", "g"), subscription("b", "h"), subscription("c", "g")));
        for (int k = 0; k < 20; k++) {
            here.pass(Duration.ofSeconds(250));
            assertThat(registry.renewGateway("h")).isEqualTo(1);
            assertThat(registry.renew(List.of("a", "x"))).satisfies(renewal -> {
                assertThat(renewal.unknown()).containsExactly("x");
                assertThat(renewal.gateways()).containsExactly("g");
            });
        }
        assertThat(here.matches()).containsExactly("a", "b");
    }

    @Test
    void aClockThatLeapsEndsThemAllAndNothingHangs() {
        here.gateways.register(new GatewayAddress("k", Protocol.KAFKA, "localhost:1/x"));
        registry.register(IntStream.range(0, 3000)
                .mapToObj(k -> subscription("s" + k, k % 3 == 0 ? "k" : "g"))
                .toList());
        here.pass(Duration.ofDays(3));
        assertThat(registry.size()).isEqualTo(1000);
        here.pass(Duration.ofDays(3));
        assertThat(registry.size()).isEqualTo(1000);
    }

    @Test
    void oneThatCannotBeForgottenEndsLater() {
        registry.register(List.of(subscription("a", "g")));
        here.store.fails = true;
        here.nanos.addAndGet(Duration.ofSeconds(302).toNanos());
        assertThatThrownBy(registry::expire).isInstanceOf(SubscriptionStoreException.class);
        assertThat(here.matches()).containsExactly("a");
        here.store.fails = false;
        here.pass(Duration.ofSeconds(302));
        assertThat(here.matches()).isEmpty();
    }

    @Test
    void removingTellsWhoWasThereAndOnlyThose() {
        registry.register(List.of(subscription("a", "g"), subscription("b", "g"), subscription("c", "h")));
        here.heard();
        assertThat(registry.remove(List.of("c", "x", "c"))).isEqualTo(1);
        assertThat(registry.removeGateway("g")).isEqualTo(2);
        assertThat(here.heard())
                .containsExactlyInAnyOrder("REMOVED c shown false", "REMOVED b shown false", "REMOVED a shown false");
        assertThat(registry.size()).isZero();
        assertThat(registry.gatewayIds()).isEmpty();
        assertThat(here.restarted().subscriptions.size()).isZero();
    }

    @Test
    void pagesShowEveryoneOnceInOrder() {
        List<Subscription> all = new ArrayList<>();
        for (int k = 0; k < 250; k++) {
            all.add(Subscription.of(
                    String.format("s%03d", k), k % 2 == 0 ? "g" : "h", k % 5 == 0 ? "t" : "u", "c" + k % 3, "{}"));
        }
        registry.register(all);
        assertThat(pages("", "", "")).containsExactlyElementsOf(all);
        assertThat(pages("g", "", ""))
                .containsExactlyElementsOf(
                        all.stream().filter(s -> s.gatewayId().equals("g")).toList());
        assertThat(pages("g", "t", "c0")).hasSize(9).allMatch(s -> s.tenant().equals("t"));
        assertThat(pages("", "u", "")).hasSize(200);
        assertThat(pages("x", "", "")).isEmpty();
    }

    private List<Subscription> pages(String gateway, String tenant, String collection) {
        List<Subscription> all = new ArrayList<>();
        String next = "";
        do {
            SubscriptionPage page = registry.list(new SubscriptionQuery(gateway, tenant, collection, next, 7));
            assertThat(page.subscriptions().size()).isLessThanOrEqualTo(7);
            all.addAll(page.subscriptions());
            next = page.next();
        } while (!next.isEmpty());
        return all;
    }

    @Test
    @Timeout(20)
    void renewingFindingListingAndMatchingDoNotWaitForAChange() throws Exception {
        registry.register(List.of(subscription("a", "g")));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        here.store.beforeSave = () -> {
            inside.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        Thread slow = Thread.ofPlatform().start(() -> registry.register(List.of(subscription("b", "g"))));
        inside.await();
        assertThat(registry.renew(List.of("a", "b")).unknown()).containsExactly("b");
        assertThat(registry.renewGateway("g")).isEqualTo(1);
        assertThat(registry.list(new SubscriptionQuery("", "", "", "", 10)).subscriptions())
                .hasSize(1);
        assertThat(here.matches()).containsExactly("a");
        goOn.countDown();
        slow.join();
        assertThat(here.matches()).containsExactly("a", "b");
    }

    @Test
    void whileAGatewayIsAwayTheGraceCountsAndAfterwardsAWholeTtl() {
        here.gateways.register(gateway("g"));
        registry.register(List.of(living("a", "g", Duration.ofSeconds(60), false)));
        here.pass(Duration.ofSeconds(31));
        here.pass(Duration.ofSeconds(200));
        assertThat(registry.find("a")).as("away, within the grace").isPresent();
        assertThat(here.gateways.heartbeat("g")).isTrue();
        here.pass(Duration.ofSeconds(29));
        assertThat(registry.find("a")).isPresent();
        here.gateways.heartbeat("g");
        here.pass(Duration.ofSeconds(29));
        here.gateways.heartbeat("g");
        assertThat(registry.find("a")).isPresent();
        here.pass(Duration.ofSeconds(4));
        assertThat(registry.find("a")).as("up, and nobody renewed it").isEmpty();
    }

    @Test
    void aGatewayThatIsBackHasAWholeTtlToRenew() {
        here.gateways.register(gateway("g"));
        registry.register(List.of(living("a", "g", Duration.ofSeconds(60), false)));
        here.pass(Duration.ofSeconds(31));
        here.pass(Duration.ofSeconds(28));
        here.gateways.heartbeat("g");
        here.pass(Duration.ofSeconds(20));
        assertThat(registry.find("a")).isPresent();
    }

    @Test
    void aGoneGatewaysSubscriptionsEndExceptThoseThatAllowFailover() {
        here.gateways.register(gateway("g"));
        registry.register(List.of(
                living("a", "g", Duration.ofHours(1), false),
                living("b", "g", Duration.ofHours(1), true),
                living("c", "h", Duration.ofHours(1), false)));
        here.heard();
        here.pass(Duration.ofSeconds(31));
        here.pass(Duration.ofSeconds(301));
        assertThat(here.heard()).containsExactly("away g", "GATEWAY_GONE a shown false", "gone g");
        assertThat(registry.find("b")).isPresent();
        assertThat(registry.find("c")).isPresent();
        assertThat(registry.counters().ended(SubscriptionEnd.GATEWAY_GONE)).isEqualTo(1);
        assertThat(here.restarted().subscriptions.find("a")).isEmpty();
    }

    @Test
    void thoseOfAKafkaGatewayNeedNoRenewal() {
        here.gateways.register(new GatewayAddress("k", Protocol.KAFKA, "localhost:9092/changes"));
        registry.register(List.of(living("a", "k", Duration.ofSeconds(60), false)));
        for (int k = 0; k < 100; k++) {
            here.pass(Duration.ofMinutes(10));
        }
        assertThat(registry.find("a")).isPresent();
        assertThat(here.gateways.find("k").orElseThrow().up()).isTrue();
        here.gateways.remove("k");
        assertThat(registry.find("a")).isEmpty();
    }
}
