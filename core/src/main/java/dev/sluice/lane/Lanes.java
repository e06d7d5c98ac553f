package dev.sluice.lane;

import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Passed;
import dev.sluice.deliver.Reason;
import dev.sluice.run.Turns;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lanes of all gateways that are known, and which of them serves a group. Changes come one after the other. */
public final class Lanes {
    private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
    /** How long a gateway's progress is told unchanged; with many gateways longer, so that it costs the same time in all. */
    private static final long PROGRESS_KEPT_NANOS = 100_000_000;

    private static final long PROGRESS_KEPT_PER_LANE_NANOS = 4_000_000;
    private static final long PART_KEPT_NANOS = 10_000_000;

    private final LaneSettings settings;
    private final Router router;
    private final Deliverers deliverers;
    private final Turns turns;
    private final LaneCounters counters;
    private final LetterBox letters;
    private final Node node;
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

    /** Lanes of gateways that are gone, while attempts of them are under way. */
    private final Map<String, Lane> closed = new ConcurrentHashMap<>();

    private final Map<String, GatewayAddress> addresses = new ConcurrentHashMap<>();
    private final Map<String, Known> progress = new ConcurrentHashMap<>();
    private final AtomicLong forgotten = new AtomicLong();

    /**
     * How far a gateway has got, as a batch tells it.
     *
     * @param marker of what it has acknowledged; empty while that is not known
     * @param passed how far each partition has got with the gateway's own subscriptions
     */
    public record Told(String marker, List<Passed> passed) {}

    /** @param version made before that many times progress was forgotten */
    private record Known(Told told, long until, long version) {}

    /** The node whose partitions send through the lanes. No call waits. */
    public interface Node {
        /** How many partitions it owns. */
        int partitions();

        /** How long no other node can own one of them, without another renewal of its lease. */
        Duration untilDeadline();

        /** How far a gateway has got; asked while no lock is held. */
        Told told(String gatewayId);
    }

    public Lanes(
            LaneSettings settings,
            Router router,
            Deliverers deliverers,
            Turns turns,
            LaneCounters counters,
            LetterBox letters,
            Node node) {
        this.settings = settings;
        this.router = router;
        this.deliverers = deliverers;
        this.turns = turns;
        this.counters = counters;
        this.letters = letters;
        this.node = node;
    }

    /** Returns whether groups are served by other gateways than before. */
    public boolean up(GatewayAddress address) {
        String id = address.id();
        Lane lane = lanes.computeIfAbsent(id, this::lane);
        if (reaches(address)) {
            lane.back();
        } else {
            Deliverer way = open(address, lane);
            if (way != null) {
                addresses.put(id, address);
                lane.up(way);
            }
        }
        return router.changed(new HashSet<>(lanes.keySet()));
    }

    /** Whether the lane has a deliverer to this address. */
    public boolean reaches(GatewayAddress address) {
        return address.equals(addresses.get(address.id()));
    }

    /** Whether the gateway can be told that a delete stands for all but some. */
    public boolean understandsExcept(String gatewayId) {
        GatewayAddress address = addresses.get(gatewayId);
        return address != null && address.understandsExcept();
    }

    private Lane lane(String gatewayId) {
        Lane lane = new Lane(gatewayId, settings, turns, counters, letters, node, () -> progress(gatewayId));
        Lane before = closed.remove(gatewayId);
        if (before != null) {
            lane.follows(before);
        }
        return lane;
    }

    private @Nullable Deliverer open(GatewayAddress address, Lane lane) {
        try {
            return deliverers.to(address);
        } catch (Throwable e) {
            lane.failed(Reason.of(e));
            LOG.atError()
                    .addKeyValue("gateway", address.id())
                    .addKeyValue("endpoint", address.endpoint())
                    .addKeyValue("reason", Reason.of(e))
                    .log("gateway address unusable: its events wait, and the address is tried again when the gateway"
                            + " registers");
            return null;
        }
    }

    /** Returns false: the groups of a gateway that is away wait for it. */
    public boolean away(String gatewayId) {
        Lane lane = lanes.get(gatewayId);
        if (lane != null) {
            lane.away();
        }
        return false;
    }

    /** Returns whether groups are served by other gateways than before. */
    public boolean gone(String gatewayId) {
        Lane lane = lanes.remove(gatewayId);
        closed.values().removeIf(each -> !each.isFlying());
        addresses.remove(gatewayId);
        counters.forget(gatewayId);
        progress.remove(gatewayId);
        if (lane != null) {
            lane.close();
            closed.put(gatewayId, lane);
        }
        return router.changed(new HashSet<>(lanes.keySet()));
    }

    /** Which gateway serves which group. */
    Router router() {
        return router;
    }

    /** The lane a group's matches go into; null: no gateway serves it now. */
    @Nullable
    public Lane serving(GroupKey key) {
        String gateway = router.gatewayOf(key);
        return gateway == null ? null : lanes.get(gateway);
    }

    @Nullable
    public Lane of(String gatewayId) {
        return lanes.get(gatewayId);
    }

    public Collection<Lane> all() {
        return lanes.values();
    }

    public void pumpAll() {
        lanes.values().forEach(Lane::pump);
    }

    /** Tells gateways to which nothing goes how far their partitions have got. */
    public void tellIdle() {
        lanes.values().forEach(Lane::tellIfIdle);
    }

    private Told progress(String gatewayId) {
        long now = turns.nanos();
        long version = forgotten.get();
        Known known = progress.get(gatewayId);
        if (known == null || known.version != version || now - known.until > 0) {
            Told told = node.told(gatewayId);
            // A partition that could not say how far it is can say so soon.
            boolean whole = told.passed().size() == node.partitions();
            known = new Known(told, now + (whole ? progressKept() : PART_KEPT_NANOS), version);
            progress.put(gatewayId, known);
        }
        return known.told;
    }

    private long progressKept() {
        return Math.max(PROGRESS_KEPT_NANOS, lanes.size() * PROGRESS_KEPT_PER_LANE_NANOS);
    }

    /** A subscription begins in the past, or with another gateway: markers made before may lie behind events it is owed. */
    public void forgetProgress() {
        forgotten.incrementAndGet();
    }

    public void close() {
        lanes.values().forEach(Lane::close);
    }
}
