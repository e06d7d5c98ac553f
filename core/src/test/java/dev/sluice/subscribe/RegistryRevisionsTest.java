package dev.sluice.subscribe;

import static dev.sluice.subscribe.Registries.gateway;
import static dev.sluice.subscribe.Registries.living;
import static dev.sluice.subscribe.Registries.subscription;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.Places;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.Homes.Unclaimed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Records, revisions and homes, as routing by cursors follows them. */
class RegistryRevisionsTest {
    private final KnownHeads heads = new KnownHeads();
    private final Registries.FailingStore store = new Registries.FailingStore();
    private Registries here = open(Unclaimed.WAIT);

    private Registries open(Unclaimed unclaimed) {
        return new Registries(SubscriptionQuotas.DEFAULT, store, new Homes(unclaimed), heads);
    }

    private RegistryView view() {
        return here.subscriptions.view();
    }

    private SubscriptionRecord record(String id) {
        return Objects.requireNonNull(view().find(id), id);
    }

    private Registered register(Subscription... batch) {
        return here.subscriptions.register(List.of(batch));
    }

    private List<RegistryChange> changesAfter(long revision) {
        return Objects.requireNonNull(view().changesAfter(revision, Integer.MAX_VALUE));
    }

    @Test
    void aBatchHasConsecutiveRevisionsOneWriteAndOneStart() {
        heads.head = 7;
        Registered answer = register(subscription("a", "g"), subscription("b", "g"), subscription("c", "g"));
        assertThat(answer.revision()).isEqualTo(3);
        assertThat(answer.start()).contains(KnownHeads.at(7));
        assertThat(store.saves).isEqualTo(1);
        assertThat(record("b"))
                .isEqualTo(new SubscriptionRecord(
                        subscription("b", "g"), new Home.Gateway("g"), 2, 2, KnownHeads.at(7), List.of(), 0));
        assertThat(record("a").start()).isSameAs(record("c").start());
        assertThat(record("a").home()).isSameAs(record("c").home());
        assertThat(view().revision()).isEqualTo(3);
        assertThat(changesAfter(1)).extracting(RegistryChange::id).containsExactly("b", "c");
        assertThat(view().changesAfter(0, 2))
                .extracting(RegistryChange::revision)
                .containsExactly(1L, 2L);
        assertThat(changesAfter(3)).isEmpty();
    }

    @Test
    void whatIsThereJustSoChangesNothingAndAnswersItsStart() {
        register(subscription("a", "g"));
        heads.head = 9;
        register(subscription("b", "g"));
        Registered again = register(subscription("a", "g"));
        assertThat(again.revision()).isEqualTo(1);
        assertThat(again.start()).contains(KnownHeads.at(1));
        assertThat(view().revision()).isEqualTo(2);
        heads.known = false;
        assertThat(register(subscription("a", "g"), subscription("b", "g")).start())
                .as("of several the lowest, and a renewal needs no heads")
                .contains(KnownHeads.at(1));
    }

    @Test
    void withFromItIsAlwaysANewIncarnation() {
        register(subscription("a", "g"));
        heads.head = 9;
        Subscription from = subscription("a", "g").startingAt(Optional.of(KnownHeads.marker(4)));
        assertThat(register(from).start()).contains(KnownHeads.at(4));
        assertThat(record("a"))
                .isEqualTo(new SubscriptionRecord(
                        subscription("a", "g"), new Home.Gateway("g"), 2, 2, KnownHeads.at(4), List.of(), 0));
        register(from);
        assertThat(record("a").created()).isEqualTo(3);
        register(subscription("a", "g").startingAt(Optional.of(ProgressMarker.NOWHERE)));
        assertThat(record("a").start()).isEqualTo(Places.OLDEST);
        assertThat(here.matches()).containsExactly("a");
        assertThat(changesAfter(2).getFirst().before()).isNotNull();
    }

    @Test
    void aChangeKeepsStartAndCreatedAndTheEldestOfFiveMerge() {
        register(subscription("a", "g"));
        int[] seconds = {20, 10, 30, 40, 50, 60};
        for (int k = 0; k < seconds.length; k++) {
            heads.head = seconds[k];
            Priority priority = k % 2 == 0 ? Priority.HIGH : Priority.LOW;
            register(new Subscription(
                    "a",
                    "g",
                    "t",
                    "c",
                    Optional.empty(),
                    "{}",
                    priority,
                    Duration.ofSeconds(60),
                    Optional.empty(),
                    false,
                    false));
        }
        SubscriptionRecord record = record("a");
        assertThat(record.created()).isEqualTo(1);
        assertThat(record.revision()).isEqualTo(7);
        assertThat(record.start()).isEqualTo(KnownHeads.at(1));
        assertThat(record.changes())
                .containsExactly(
                        new SubscriptionRecord.Change(4, KnownHeads.at(10)),
                        new SubscriptionRecord.Change(5, KnownHeads.at(40)),
                        new SubscriptionRecord.Change(6, KnownHeads.at(50)),
                        new SubscriptionRecord.Change(7, KnownHeads.at(60)));
    }

    @Test
    void withoutHeadsNothingNewIsTaken() {
        heads.known = false;
        assertThatThrownBy(() -> register(subscription("a", "g"))).isInstanceOf(NotReadyException.class);
        assertThat(view().find("a")).isNull();
        assertThat(store.saves).isZero();
        heads.known = true;
        assertThat(register(subscription("a", "g")).accepted()).isEqualTo(1);
    }

    @Test
    void aFromInTheFutureIsRefused() {
        Subscription ahead = subscription("a", "g").startingAt(Optional.of(KnownHeads.marker(1_000_601)));
        Registered refused = register(ahead, subscription("b", "g"));
        assertThat(refused.refusals()).singleElement().satisfies(refusal -> {
            assertThat(refusal.id()).isEqualTo("a");
            assertThat(refusal.cause()).isEqualTo(Refusal.Cause.INVALID);
            assertThat(refusal.reason()).contains("its from is ahead of everything");
        });
        assertThat(register(subscription("a", "g").startingAt(Optional.of(KnownHeads.marker(1_000_600))))
                        .accepted())
                .isEqualTo(1);
        heads.head = 1_000_001;
        assertThat(register(ahead).accepted()).as("the source's clock is ahead").isEqualTo(1);
    }

    @Test
    void removalExpiryAndResyncAreRevisionsAndNoneComesAgainAfterARestart() {
        register(subscription("a", "g"), subscription("b", "g"), subscription("c", "g"));
        heads.known = false;
        assertThat(here.subscriptions.resync(List.of("b", "x", "b"))).isEqualTo(1);
        assertThat(record("b").resync()).isEqualTo(4);
        assertThat(record("b").revision()).isEqualTo(4);
        assertThat(record("b").changes()).isEmpty();
        assertThat(record("b").changedAt()).isEqualTo(2);
        assertThat(register(subscription("b", "g")).revision())
                .as("as deliveries name it")
                .isEqualTo(2);
        here.subscriptions.remove(List.of("a"));
        here.pass(Duration.ofSeconds(302));
        assertThat(changesAfter(3))
                .extracting(RegistryChange::end)
                .containsExactly(null, SubscriptionEnd.REMOVED, SubscriptionEnd.EXPIRED, SubscriptionEnd.EXPIRED);
        assertThat(view().revision()).isEqualTo(7);
        long identity = view().identity();
        here = open(Unclaimed.WAIT);
        assertThat(view().revision()).isEqualTo(7);
        assertThat(view().identity()).isEqualTo(identity).isNotZero();
        assertThat(view().changesAfter(6, 10)).as("before the start").isNull();
        assertThat(changesAfter(7)).isEmpty();
        heads.known = true;
        register(subscription("a", "g"));
        assertThat(record("a").created()).isEqualTo(8);
    }

    @Test
    void aRestartFindsEveryRecordAsItWas() {
        register(subscription("a", "g"), subscription("b", ""));
        heads.head = 5;
        register(Subscription.of("a", "h", "t", "c", "{}"));
        here.subscriptions.resync(List.of("b"));
        SubscriptionRecord a = record("a");
        SubscriptionRecord b = record("b");
        here = open(Unclaimed.WAIT);
        assertThat(record("a")).isEqualTo(a);
        assertThat(record("b")).isEqualTo(b);
    }

    @Test
    void homesFollowTheModeAndTheGatewaysThatAreThere() {
        Home share = Homes.share("a");
        for (Unclaimed mode : Unclaimed.values()) {
            Homes homes = new Homes(mode);
            assertThat(homes.of(subscription("a", "g"), "g"::equals)).isEqualTo(new Home.Gateway("g"));
            assertThat(homes.of(subscription("a", "h"), "g"::equals))
                    .isEqualTo(
                            switch (mode) {
                                case WAIT -> new Home.Gateway("h");
                                case SHARE -> share;
                                case BROADCAST -> Home.BROADCAST;
                            });
            assertThat(homes.of(subscription("a", ""), any -> true))
                    .isEqualTo(mode == Unclaimed.BROADCAST ? Home.BROADCAST : share);
        }
    }

    @Test
    void aGatewayThatComesGetsItsOwnInPortions() {
        here = open(Unclaimed.SHARE);
        here.subscriptions.register(IntStream.range(0, 2500)
                .mapToObj(k -> subscription("s" + k, "g"))
                .toList());
        assertThat(ofHome(new Home.Gateway("g"))).isEmpty();
        int saves = store.saves;
        heads.head = 8;
        here.gateways.register(gateway("g"));
        assertThat(store.saves - saves).isEqualTo(3);
        assertThat(ofHome(new Home.Gateway("g"))).hasSize(2500);
        assertThat(view().homes()).containsExactly(new Home.Gateway("g"));
        assertThat(changesAfter(2500)).hasSize(2500).allSatisfy(change -> {
            SubscriptionRecord now = Objects.requireNonNull(change.now());
            assertThat(now.changes())
                    .containsExactly(new SubscriptionRecord.Change(change.revision(), KnownHeads.at(8)));
            assertThat(now.start()).isEqualTo(KnownHeads.at(1));
        });
        assertThat(here.subscriptions.rehome()).isZero();
    }

    @Test
    void aGoneGatewaysSubscriptionsFailOverOrEnd() {
        for (Unclaimed mode : Unclaimed.values()) {
            here = new Registries(SubscriptionQuotas.DEFAULT, new Registries.FailingStore(), new Homes(mode), heads);
            here.gateways.register(gateway("g"));
            register(living("a", "g", Duration.ofHours(1), false), living("b", "g", Duration.ofHours(1), true));
            here.gateways.remove("g");
            assertThat(view().find("a")).isNull();
            assertThat(record("b").home())
                    .isEqualTo(
                            switch (mode) {
                                case WAIT -> new Home.Gateway("g");
                                case SHARE -> Homes.share("b");
                                case BROADCAST -> Home.BROADCAST;
                            });
            here.gateways.register(gateway("g"));
            assertThat(record("b").home()).isEqualTo(new Home.Gateway("g"));
            assertThat(record("b").created()).isEqualTo(2);
        }
    }

    @Test
    void whatCannotBeSettledWhenAGatewayGoesIsSettledLater() {
        here = open(Unclaimed.SHARE);
        here.gateways.register(gateway("g"));
        register(living("a", "g", Duration.ofHours(1), false), living("b", "g", Duration.ofHours(1), true));
        heads.known = false;
        here.gateways.remove("g");
        assertThat(view().find("a")).as("an end needs no heads").isNull();
        assertThat(record("b").home()).isEqualTo(new Home.Gateway("g"));
        assertThat(here.subscriptions.rehome()).isZero();
        heads.known = true;
        assertThat(here.subscriptions.rehome()).isEqualTo(1);
        assertThat(record("b").home()).isEqualTo(Homes.share("b"));
        assertThat(here.subscriptions.rehome()).isZero();
    }

    @Test
    void anotherRoutingModeAfterARestartMovesThemAll() {
        here.subscriptions.register(
                IntStream.range(0, 300).mapToObj(k -> subscription("s" + k, "")).toList());
        here = open(Unclaimed.BROADCAST);
        int moved = 0;
        for (int some = here.subscriptions.rehome(); some > 0; some = here.subscriptions.rehome()) {
            moved += some;
        }
        assertThat(moved).isEqualTo(300);
        assertThat(view().homes()).containsExactly(Home.BROADCAST);
        assertThat(ofHome(Home.BROADCAST)).hasSize(300);
        here = open(Unclaimed.BROADCAST);
        assertThat(here.subscriptions.rehome()).isZero();
    }

    @Test
    void aRecordOfVersionOneBeginsWithRevisionOne() {
        Subscription old = subscription("a", "g").startingAt(Optional.of(KnownHeads.marker(3)));
        Places start = Places.of(KnownHeads.marker(3));
        store.save(List.of(
                new SubscriptionRecord(old, Homes.share("a"), 0, 0, start, List.of(), 0),
                new SubscriptionRecord(subscription("b", ""), Homes.share("b"), 0, 0, Places.OLDEST, List.of(), 0)));
        here = open(Unclaimed.WAIT);
        assertThat(record("a"))
                .isEqualTo(new SubscriptionRecord(
                        subscription("a", "g"), new Home.Gateway("g"), 1, 1, start, List.of(), 0));
        assertThat(view().revision()).isEqualTo(1);
        register(subscription("c", "g"));
        assertThat(record("c").created()).isEqualTo(2);
        here = open(Unclaimed.BROADCAST);
        assertThat(record("b").home())
                .as("stored, so it moves by a revision only")
                .isEqualTo(Homes.share("b"));
        assertThat(here.subscriptions.rehome()).isPositive();
    }

    @Test
    void aWriteThatFailedButHappenedIsRevertedBeforeTheNextChange() {
        register(subscription("a", "g"), subscription("b", "g"));
        store.failsAfterwards = true;
        assertThatThrownBy(() -> register(subscription("c", "g"))).isInstanceOf(SubscriptionStoreException.class);
        store.failsAfterwards = true;
        assertThatThrownBy(() -> here.subscriptions.remove(List.of("a")))
                .as("the revert fails, too")
                .isInstanceOf(SubscriptionStoreException.class);
        store.failsAfterwards = true;
        assertThatThrownBy(() -> here.subscriptions.remove(List.of("a")))
                .isInstanceOf(SubscriptionStoreException.class);
        assertThat(view().revision()).isEqualTo(2);
        register(subscription("d", "g"));
        assertThat(record("d").revision()).as("numbers are not used twice").isGreaterThan(3);
        List<String> shown = new ArrayList<>();
        view().forEach(each -> shown.add(each.id()));
        assertThat(shown).containsExactlyInAnyOrder("a", "b", "d");
        here = open(Unclaimed.WAIT);
        List<String> stored = new ArrayList<>();
        view().forEach(each -> stored.add(each.id()));
        assertThat(stored).containsExactlyInAnyOrder("a", "b", "d");
    }

    @Test
    void whoFellOutOfTheRingIsTold() {
        register(subscription("a", "g"));
        int batch = 10_000;
        for (int k = 0; k < ShownRegistry.RING; k += batch) {
            here.subscriptions.resync(List.of("a"));
            int round = k;
            here.subscriptions.register(IntStream.range(0, batch / 2)
                    .mapToObj(n -> Subscription.of("s" + n, "", "t", "c", "{\"a\":" + round + "}"))
                    .toList());
            here.subscriptions.remove(
                    IntStream.range(0, batch / 2).mapToObj(n -> "s" + n).toList());
        }
        long now = view().revision();
        assertThat(view().changesAfter(now - ShownRegistry.RING, 1)).hasSize(1);
        assertThat(view().changesAfter(now - ShownRegistry.RING - 1, 1)).isNull();
        assertThat(changesAfter(now - 3)).extracting(RegistryChange::revision).containsExactly(now - 2, now - 1, now);
    }

    @Test
    void theViewWakesFollowersAfterEachChangeAndWhateverOneThrowsIsNoMatter() {
        List<Long> woken = new ArrayList<>();
        view().onChange(() -> {
            throw new AssertionError("a bug");
        });
        view().onChange(() -> woken.add(view().revision()));
        register(subscription("a", "g"), subscription("b", "g"));
        here.subscriptions.remove(List.of("a"));
        here.subscriptions.remove(List.of("a"));
        assertThat(woken).containsExactly(2L, 3L);
    }

    @Test
    void portionsShowEveryRecordOnce() {
        here.subscriptions.register(IntStream.range(0, 3000)
                .mapToObj(k -> subscription("s" + k, "g" + k % 7))
                .toList());
        List<String> ids = new ArrayList<>();
        for (int k = 0; k < view().portions(); k++) {
            view().forEachIn(k, each -> ids.add(each.id()));
        }
        assertThat(ids).hasSize(3000).doesNotHaveDuplicates();
        List<String> all = new ArrayList<>();
        view().forEach(each -> all.add(each.id()));
        assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
    }

    private List<SubscriptionRecord> ofHome(Home home) {
        List<SubscriptionRecord> found = new ArrayList<>();
        view().forEachOf(home, found::add);
        return found;
    }
}
