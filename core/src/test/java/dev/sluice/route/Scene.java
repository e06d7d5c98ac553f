package dev.sluice.route;

import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Protocol;
import dev.sluice.lane.LaneSettings;
import dev.sluice.lane.LaneStatus;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.saved.SavedPositionText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A Streamer with one partition, unless the settings say more, and a few gateways on a virtual clock, where a test says what happens. */
final class Scene {
    static final LaneSettings SMALL = new LaneSettings(
            new LaneSettings.Batch(5, 1 << 20, Duration.ofMillis(50), Duration.ofMillis(10)),
            new LaneSettings.Queue(20, 1 << 20, 70, 90),
            new LaneSettings.Retry(3, Duration.ofMillis(100), Duration.ofSeconds(5), 2),
            new LaneSettings.Breaker(5, Duration.ofSeconds(30)),
            2,
            true);

    final Random random = new Random(7);
    final SimulatedTurns turns = new SimulatedTurns(random);
    final SimulatedFeed feed;
    final SimulatedRegistry registry;
    final MemoryDeadLetters letters = new MemoryDeadLetters();
    final Map<String, SimulatedGateway> gateways = new TreeMap<>();
    final List<String> reported = new ArrayList<>();
    final List<SimulatedClaim> claims = new ArrayList<>();
    final SimulatedClaim claim;
    final StreamerSettings settings;

    /** So many deliverers cannot be made. */
    int failingOpens;

    Life life = new Life(turns);
    Streamer streamer;

    Scene(StreamerSettings settings) {
        this(settings, 1);
    }

    Scene(StreamerSettings settings, int partitions) {
        this(settings, partitions, 1);
    }

    Scene(StreamerSettings settings, int partitions, int backends) {
        this.settings = settings;
        feed = new SimulatedFeed(random, turns, backends);
        registry = new SimulatedRegistry(settings.mode(), feed);
        for (int k = 0; k < partitions; k++) {
            claims.add(new SimulatedClaim(k, (partition, text) -> reported.add(text)));
        }
        claim = claims.getFirst();
        streamer = boot();
        run(100);
    }

    Scene() {
        this(SceneSettings.of(SMALL));
    }

    private Streamer boot() {
        Life mine = life;
        Streamer fresh = new Streamer(
                settings, feed, registry, address -> open(mine, address), letters, mine, partition -> claims.size());
        gateways.keySet().forEach(id -> fresh.up(address(id)));
        claims.forEach(each -> fresh.assigned(each.take()));
        return fresh;
    }

    private Deliverer open(Life mine, GatewayAddress address) {
        if (failingOpens > 0) {
            failingOpens--;
            throw new IllegalStateException("no such host");
        }
        return mine.reaching(gateway(address.id()));
    }

    static GatewayAddress address(String id) {
        return new GatewayAddress(id, Protocol.HTTP, "http://" + id, true);
    }

    /** A gateway that is up from now on. */
    SimulatedGateway gateway(String id) {
        return gateways.computeIfAbsent(id, name -> new SimulatedGateway(random, turns));
    }

    SimulatedGateway up(String id) {
        SimulatedGateway gateway = gateway(id);
        registry.gateway(id, true);
        streamer.up(address(id));
        return gateway;
    }

    /** Its grace is over: subscriptions that allow no failover have ended. */
    void gone(String id) {
        registry.gateway(id, false);
        streamer.gone(id);
    }

    /** Only what was saved survives. */
    void crash() {
        life.end();
        life = new Life(turns);
        registry.show();
        streamer = boot();
    }

    Subscription subscribe(String id, String gateway) {
        return subscribe(id, gateway, Priority.NORMAL, null);
    }

    Subscription subscribe(String id, String gateway, Priority priority, @Nullable ProgressMarker from) {
        Subscription subscription = new Subscription(
                id,
                gateway,
                "",
                "c",
                Optional.empty(),
                "{}",
                priority,
                Subscription.DEFAULT_TTL,
                Optional.ofNullable(from),
                false,
                false);
        registry.add(subscription);
        return subscription;
    }

    /** One that a delete without a pre-image may or may not concern. */
    Subscription filtered(String id, String gateway, @Nullable ProgressMarker from) {
        Subscription subscription = new Subscription(
                id,
                gateway,
                "",
                "c",
                Optional.empty(),
                "{\"g\":0}",
                Priority.NORMAL,
                Subscription.DEFAULT_TTL,
                Optional.ofNullable(from),
                false,
                false);
        registry.add(subscription);
        return subscription;
    }

    /** Nobody keeps what the document was. */
    ChangeEvent delete(String document) {
        return feed.append("db0", Operation.DELETE, "c", document, 0, false);
    }

    ChangeEvent change(String document) {
        return feed.append("db0", Operation.REPLACE, "c", document, 0, false);
    }

    List<ChangeEvent> changes(int count) {
        List<ChangeEvent> changes = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            changes.add(change("d" + k % 7));
        }
        return changes;
    }

    void run(long millis) {
        turns.run(Duration.ofMillis(millis));
    }

    /** What a gateway took of one subscription, without repeats, in order. */
    static List<EventId> got(SimulatedGateway gateway, String subscriptionId) {
        return gateway.firsts.stream()
                .filter(each -> each.subscriptionId().equals(subscriptionId))
                .map(each -> each.event().event().id())
                .toList();
    }

    static List<EventId> ids(List<ChangeEvent> events) {
        return events.stream().map(ChangeEvent::id).toList();
    }

    static List<Delivery> taken(SimulatedGateway gateway, String subscriptionId) {
        return gateway.taken.stream()
                .filter(each -> each.subscriptionId().equals(subscriptionId))
                .toList();
    }

    LaneStatus lane(String gateway) {
        return streamer.status().lanes().stream()
                .filter(each -> each.gatewayId().equals(gateway))
                .findFirst()
                .orElseThrow();
    }

    /** How many events of the only backend are at or before what a restart would begin with. */
    int savedLow() {
        claim.persist();
        return SavedPositionText.parse(claim.saved())
                .map(saved -> saved.streams().get("db0"))
                .map(stream -> feed.index("db0", stream.lowest().id()))
                .orElse(-1);
    }
}
