package dev.sluice.route;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.lane.Lane;
import dev.sluice.lane.Lanes;
import dev.sluice.subscribe.GatewayListener;
import java.util.function.BooleanSupplier;

/** Has lanes and partitions follow the gateways that are known. One change at a time. */
final class GatewayChanges implements GatewayListener {
    private final Lanes lanes;
    private final OwnedPartitions partitions;
    private boolean closed;

    GatewayChanges(Lanes lanes, OwnedPartitions partitions) {
        this.lanes = lanes;
        this.partitions = partitions;
    }

    @Override
    public void up(GatewayAddress gateway) {
        serve(() -> lanes.up(gateway));
    }

    @Override
    public void registeredAgain(GatewayAddress gateway) {
        if (!lanes.reaches(gateway)) {
            up(gateway);
            return;
        }
        Lane lane = lanes.of(gateway.id());
        if (lane != null) {
            lane.back();
            partitions.all().forEach(OwnedPartition::wake);
        }
    }

    @Override
    public void away(String gatewayId) {
        serve(() -> lanes.away(gatewayId));
    }

    @Override
    public void gone(String gatewayId) {
        serve(() -> lanes.gone(gatewayId));
    }

    /** @param change returns whether groups are served by other gateways now */
    private void serve(BooleanSupplier change) {
        // Before and after: no marker is made of groups that do not fit the gateways yet.
        partitions.all().forEach(OwnedPartition::lanesChanged);
        boolean moved = unlessClosed(change);
        partitions.all().forEach(OwnedPartition::lanesChanged);
        if (moved) {
            lanes.forgetProgress();
        }
        lanes.pumpAll();
    }

    private synchronized boolean unlessClosed(BooleanSupplier change) {
        return !closed && change.getAsBoolean();
    }

    /** Closes every lane; no other is opened. */
    synchronized void close() {
        closed = true;
        lanes.close();
    }
}
