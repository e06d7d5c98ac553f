package dev.sluice.route;

import dev.sluice.coordinate.Claim;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.lane.LaneSettings;
import dev.sluice.lane.RoutingMode;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.Subscription;
import dev.sluice.saved.SavedPosition;
import dev.sluice.saved.SavedPositionText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything around a Streamer, on one thread and a virtual clock, chosen by a seed: sources, gateways that misbehave,
 * subscriptions that come and go, crashes that leave only what was stored. It knows what must arrive, and looks.
 */
final class StreamerWorld {
    static final int PARTITIONS = 3;
    private static final boolean TRACED = Long.getLong("sluice.seed") != null;
    static final int QUEUE = 40;

    /** Of a saved position, where few fit. */
    private static final int SHORT_POSITION = 600;

    final Random random;
    final SimulatedTurns turns;
    final SimulatedFeed feed;
    final SimulatedRegistry registry;
    final MemoryDeadLetters letters = new MemoryDeadLetters();
    final Map<String, SimulatedGateway> gateways = new TreeMap<>();

    final Set<String> up = new HashSet<>();
    final Set<String> known = new HashSet<>();
    final List<SimulatedClaim> claims = new ArrayList<>();

    final StreamerSettings settings;
    final Occurrences occurrences = new Occurrences();
    final WorldSubscriptions subscriptions;
    final boolean zombies;
    private final Interruptions interruptions = new Interruptions();
    private final WorldChecks checks;
    private final WorldHappenings happenings;
    private final int spread;
    Life life;
    Streamer streamer;
    long crashes;

    StreamerWorld(long seed) {
        random = new Random(seed);
        turns = new SimulatedTurns(random);
        feed = new SimulatedFeed(random, turns, 1 + random.nextInt(2));
        feed.failing = random.nextBoolean() ? 0.02 : 0;
        zombies = random.nextInt(4) == 0;
        // Where all are of one gateway and class, deletes stand for many.
        spread = random.nextInt(3) == 0 ? 1 : 3;
        int choice = random.nextInt(10);
        RoutingMode mode =
                choice < 5 ? RoutingMode.DIRECT : choice < 7 ? RoutingMode.CONSISTENT_HASH : RoutingMode.BROADCAST;
        settings = SceneSettings.of(
                new LaneSettings(
                        new LaneSettings.Batch(5, 1 << 20, Duration.ofMillis(50), Duration.ofMillis(10)),
                        new LaneSettings.Queue(QUEUE, 1 << 20, 70, 90),
                        new LaneSettings.Retry(3, Duration.ofMillis(100), Duration.ofSeconds(2), 2),
                        new LaneSettings.Breaker(5, Duration.ofSeconds(3)),
                        1 + random.nextInt(3),
                        true,
                        new LaneSettings.Stuck(Duration.ofMillis(500), random.nextInt(4))),
                mode,
                0);
        registry = new SimulatedRegistry(mode, feed);
        subscriptions = new WorldSubscriptions(this, zombies, spread);
        checks = new WorldChecks(this);
        happenings = new WorldHappenings(this, interruptions);
        // Few of the larger positions fit, or all do.
        int longest = random.nextInt(3) == 0 ? SHORT_POSITION : Claim.LONGEST_POSITION;
        for (int k = 0; k < PARTITIONS; k++) {
            SimulatedClaim claim = new SimulatedClaim(k, checks::reported);
            claim.longest = longest;
            claim.whileSaving = () -> interruptions.in(Interruptions.Step.SAVING);
            claims.add(claim);
        }
        registry.beforeReading = interruptions::inStepOfCaller;
        registry.onRescan = () -> happened(Occurrences.Kind.SCANNED_AFTER_LOST_WATCH);
        feed.beforeCall = interruptions::inStepOfCaller;
        for (int k = 0; k < 3; k++) {
            SimulatedGateway gateway = new SimulatedGateway(random, turns);
            gateway.understandsExcept = random.nextInt(4) > 0;
            gateway.unfenced = Duration.ofSeconds(random.nextInt(2));
            gateway.untilDeadline = partition -> claims.get(partition).untilDeadline;
            gateway.poison = delivery -> poison(delivery.event().event());
            String name = "g" + k;
            gateway.watcher = (delivery, outcome) -> {
                note(name + " " + outcome + " " + delivery.subscriptionId()
                        + " event "
                        + feed.numbers.getOrDefault(delivery.event().event().id(), -1) + " "
                        + delivery.type() + (delivery.representative() ? " for " + delivery.standsFor() : "") + " seq "
                        + delivery.seq() + " p" + delivery.partition() + " "
                        + delivery.token());
                // What is told for many makes no resume point: its marker may be older than a subscription that hears
                // it.
                happened(delivery.representative() ? Occurrences.Kind.DELETE_TOLD_FOR_MANY : null);
                if (outcome.equals("Delivered") && !delivery.representative()) {
                    checks.marker(name, delivery);
                }
            };
            gateway.holds = id -> holds(name, id);
            gateway.registered =
                    id -> settings.mode() != RoutingMode.CONSISTENT_HASH || subscriptions.wasEverAt(name, id);
            gateway.concerned = delivery -> stoodForAt(name, delivery);
            gateway.passed = passed -> checks.passed(name, passed);
            gateway.mayRepeat = id -> subscriptions.wanted.get(id) == null || subscriptions.wanted(id).restarted;
            gateways.put("g" + k, gateway);
            known.add("g" + k);
            up.add("g" + k);
            registry.gateway("g" + k, true);
        }
        life = new Life(turns);
        streamer = boot();
        // Nobody registers before it is known where now is.
        while (streamer.head().isEmpty()) {
            turns.run(Duration.ofMillis(200));
        }
        for (int k = 0; k < 5 && spread == 1; k++) {
            subscriptions.subscribe(null);
        }
    }

    /** One that was given to another gateway has ended here; those the ring places may be here. */
    private boolean holds(String gateway, String id) {
        Subscription subscription = registry.byId.get(id);
        return subscription == null
                || subscription.gatewayId().equals(gateway)
                || settings.mode() != RoutingMode.DIRECT;
    }

    private List<String> stoodForAt(String gateway, Delivery delivery) {
        Priority priority = delivery.standsFor();
        return priority == null
                ? List.of()
                : subscriptions.stoodForAt(
                        gateway, priority, delivery.event().event().collection());
    }

    int poison(ChangeEvent event) {
        if (event.document() == null) {
            return 0;
        }
        int number = feed.numbers.getOrDefault(event.id(), 0);
        return number % 23 == 7 ? 1 : number % 29 == 11 ? 2 : number % 31 == 13 ? 3 : number % 37 == 17 ? 4 : 0;
    }

    /** What happened, for a seed that is being replayed. */
    void note(String what) {
        if (TRACED) {
            System.out.println(turns.now() + " " + what);
        }
    }

    /** @param what null: it does not count */
    void happened(Occurrences.@Nullable Kind what) {
        if (what != null) {
            occurrences.add(what);
        }
    }

    private Streamer boot() {
        Life mine = life;
        Streamer fresh = new Streamer(
                settings,
                feed,
                registry,
                address -> mine.reaching(gateway(address.id()), interruptions),
                letters,
                mine,
                partition -> PARTITIONS);
        known.forEach(id -> fresh.up(address(id)));
        known.stream().filter(id -> !up.contains(id)).forEach(fresh::away);
        claims.forEach(claim -> assign(fresh, claim));
        return fresh;
    }

    /** One partition comes after the other, and some much later. */
    private void assign(Streamer to, SimulatedClaim claim) {
        countChangesSinceSaved(claim);
        if (random.nextInt(3) > 0) {
            to.assigned(claim.take());
            return;
        }
        life.after(Duration.ofMillis(random.nextInt(3000)), () -> {
            if (streamer == to) {
                to.assigned(claim.take());
            }
        });
    }

    private void countChangesSinceSaved(SimulatedClaim claim) {
        long saved = SavedPositionText.parse(claim.saved())
                .map(SavedPosition::revision)
                .orElse(Long.MAX_VALUE);
        boolean several = registry.stored.values().stream()
                .anyMatch(record -> record.changes().stream()
                                .filter(change -> change.revision() > saved)
                                .count()
                        > 1);
        happened(several ? Occurrences.Kind.CHANGED_SEVERAL_TIMES_BEFORE_SAVE : null);
    }

    void loseAClaim() {
        SimulatedClaim claim = claims.get(random.nextInt(PARTITIONS));
        note("lost " + claim.token());
        happened(Occurrences.Kind.CLAIM_LOST);
        streamer.lost(claim.partition(), claim.token());
        assign(streamer, claim);
    }

    SimulatedGateway gateway(String id) {
        return gateways.getOrDefault(id, new SimulatedGateway(random, turns));
    }

    GatewayAddress address(String id) {
        return new GatewayAddress(id, Protocol.HTTP, "http://" + id, gateways.get(id).understandsExcept);
    }

    void live(int steps) {
        for (int k = 0; k < steps; k++) {
            happenings.next();
            turns.run(Duration.ofMillis(1 + random.nextInt(60)));
            checks.cursors();
        }
    }

    /** The next owners know only the saved position. */
    void crash(Occurrences.Kind where) {
        registry.show();
        happened(where);
        crashes++;
        happened(streamer.counters().positionsShortened() > 0 ? Occurrences.Kind.SAVED_POSITION_DID_NOT_FIT : null);
        note(where.name());
        Life before = life;
        if (zombies && random.nextBoolean()) {
            // It does not know yet that it was replaced.
            turns.after(Duration.ofMillis(random.nextInt(8000)), before::end);
        } else {
            before.end();
        }
        life = new Life(turns);
        streamer = boot();
    }

    /** Everybody is well and there, until nothing moves any more. */
    void heal() {
        interruptions.disarm();
        feed.failing = 0;
        letters.failing = 0;
        claims.forEach(each -> each.untilDeadline = ChronoUnit.FOREVER.getDuration());
        for (String id : gateways.keySet()) {
            gateway(id).mode = SimulatedGateway.Mode.WELL;
            gateway(id).isStuck = none -> false;
            known.add(id);
            up.add(id);
            registry.gateway(id, true);
            streamer.up(address(id));
        }
        registry.show();
        for (int k = 0; k < 60; k++) {
            // Traffic goes on: at the very end of a log nobody can tell the order of two ids of one time.
            feed.end().positions().keySet().forEach(each -> feed.append(each, Operation.DROP, "none", "", 0, false));
            turns.run(Duration.ofSeconds(5));
            if (isQuiet()) {
                return;
            }
        }
        throw new AssertionError("it never comes to rest: " + streamer.status());
    }

    private boolean isQuiet() {
        StreamerStatus status = streamer.status();
        return status.lanes().stream().allMatch(lane -> lane.behind().isEmpty())
                && status.partitions().size() == PARTITIONS
                && status.partitions().stream().allMatch(each -> each.unacknowledged() == 0);
    }

    void check() {
        checks.atTheEnd();
        happened(feed.hasEventsOfOneTime() ? Occurrences.Kind.EVENTS_OF_ONE_CLUSTER_TIME : null);
    }
}
