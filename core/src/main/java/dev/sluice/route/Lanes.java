package dev.sluice.route;

import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.Deliverers;
import dev.sluice.deliver.GatewayAddress;
import dev.sluice.deliver.Reason;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lanes of all gateways that are known, and which of them serves whom. Changes come one after the other. */
final class Lanes {
    private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
    private static final long PROGRESS_NANOS = 100_000_000;

    /** Of all lanes and partitions: about 100 MiB. */
    private static final int READERS = 32;

    private final LaneSettings settings;
    private final Router router;
    private final Deliverers deliverers;
    private final Turns turns;
    private final StreamerCounters counters;
    private final LetterBox letters;
    private final Function<String, String> lowWater;
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final Map<String, GatewayAddress> addresses = new ConcurrentHashMap<>();
    private final Set<String> live = ConcurrentHashMap.newKeySet();
    private final Map<String, Known> progress = new ConcurrentHashMap<>();

    private final AtomicInteger starts = new AtomicInteger();
    private final ReaderSeats seats = new ReaderSeats(READERS);

    private record Known(String marker, long at, int starts) {}

    /** @param lowWater a marker of what a gateway has acknowledged; it takes the partitions' locks */
    Lanes(
            LaneSettings settings,
            Router router,
            Deliverers deliverers,
            Turns turns,
            StreamerCounters counters,
            LetterBox letters,
            Function<String, String> lowWater) {
        this.settings = settings;
        this.router = router;
        this.deliverers = deliverers;
        this.turns = turns;
        this.counters = counters;
        this.letters = letters;
        this.lowWater = lowWater;
    }

    void up(GatewayAddress address) {
        String id = address.id();
        Lane lane = lanes.computeIfAbsent(id, this::lane);
        live.add(id);
        if (reaches(address)) {
            lane.back();
            return;
        }
        Deliverer way = open(address, lane);
        if (way != null) {
            addresses.put(id, address);
            lane.up(way);
        }
    }

    /** Whether the lane has a deliverer to this address. */
    boolean reaches(GatewayAddress address) {
        return address.equals(addresses.get(address.id()));
    }

    private Lane lane(String gatewayId) {
        return new Lane(gatewayId, settings, turns, counters, letters, () -> progress(gatewayId));
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
                    .log(
                            "a gateway's address cannot be used: what it is owed waits, and it is tried again when it registers");
            return null;
        }
    }

    void away(String gatewayId) {
        Lane lane = lanes.get(gatewayId);
        if (lane != null) {
            lane.away();
        }
        live.remove(gatewayId);
    }

    void gone(String gatewayId) {
        Lane lane = lanes.remove(gatewayId);
        addresses.remove(gatewayId);
        live.remove(gatewayId);
        counters.forget(gatewayId);
        if (lane != null) {
            lane.close();
        }
    }

    /** Has matches go by who is there now. Returns the owners that are served by another gateway from now on, or by none. */
    List<Recipient> reroute() {
        return router.changed(new HashSet<>(lanes.keySet()), live);
    }

    /** The lane an owner's matches go into; null: nobody serves it now. */
    @Nullable
    Lane serving(Recipient owner) {
        String gateway = router.gatewayOf(owner);
        return gateway == null ? null : lanes.get(gateway);
    }

    @Nullable
    Lane of(String gatewayId) {
        return lanes.get(gatewayId);
    }

    Collection<Lane> all() {
        return lanes.values();
    }

    /** Forgets what waits and is not wanted by anybody any more. */
    void sweep() {
        for (Lane lane : lanes.values()) {
            List<Owed> unused = lane.remove(owed -> !owed.isWanted());
        }
    }

    ReaderSeats seats() {
        return seats;
    }

    void pumpAll() {
        lanes.values().forEach(Lane::pump);
    }

    private String progress(String gatewayId) {
        Known known = progress.get(gatewayId);
        long now = turns.nanos();
        int began = starts.get();
        if (known == null || now - known.at > PROGRESS_NANOS || known.starts != began) {
            known = new Known(lowWater.apply(gatewayId), now, began);
            progress.put(gatewayId, known);
        }
        return known.marker;
    }

    /** Somebody begins in the past, or with another gateway: what was known of how far those are may be too much for it. */
    void forgetProgress() {
        starts.incrementAndGet();
    }

    void close() {
        lanes.values().forEach(Lane::close);
    }
}
