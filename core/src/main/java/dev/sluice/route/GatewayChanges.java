package dev.sluice.route;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.lane.Lane;
import dev.sluice.lane.Lanes;
import dev.sluice.subscribe.GatewayListener;

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

    private void serve(Runnable change) {
        // Before and after: no marker is made of groups that do not fit the gateways yet.
        partitions.all().forEach(OwnedPartition::lanesChanged);
        unlessClosed(change);
        partitions.all().forEach(OwnedPartition::lanesChanged);
        lanes.forgetProgress();
        lanes.pumpAll();
    }

    private synchronized void unlessClosed(Runnable change) {
        if (!closed) {
            change.run();
        }
    }

    /** Closes every lane; no other is opened. */
    synchronized void close() {
        closed = true;
        lanes.close();
    }
}
