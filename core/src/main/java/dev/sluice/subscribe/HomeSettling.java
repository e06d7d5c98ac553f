package dev.sluice.subscribe;

import dev.sluice.deliver.GatewayAddress;
import dev.sluice.model.Places;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives subscriptions the home they have after a gateway came or went, or after a change of the routing mode, and ends
 * those of a gateway that is gone. Works in portions, each under the lock of the registry.
 */
final class HomeSettling implements GatewayListener {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionRegistry.class);
    private static final int SETTLED_AT_ONCE = 1_000;

    private final ReentrantLock changing;
    private final GatewayRegistry gateways;
    private final Function<Subscription, Home> homes;
    private final LogHeads heads;
    private final SubscriptionTable table;
    private final ShownRegistry shown;
    private final Revisions revisions;
    private final RegistryWriter writer;
    /** Gateways that came or went and whose subscriptions are not settled yet. */
    private final Map<String, Unsettled> unsettled = new ConcurrentHashMap<>();
    /** Portions of the view from here on may have records that another routing mode placed. */
    private volatile int unchecked;

    /** One coming or going of a gateway; equal to no other one. */
    private static final class Unsettled {
        private final boolean gone;

        private Unsettled(boolean gone) {
            this.gone = gone;
        }
    }

    /**
     * @param changing the lock of the registry
     * @param homes where a subscription belongs now
     * @param misplaced whether loaded records may have another home than they should have
     */
    HomeSettling(
            ReentrantLock changing,
            GatewayRegistry gateways,
            Function<Subscription, Home> homes,
            LogHeads heads,
            SubscriptionTable table,
            ShownRegistry shown,
            Revisions revisions,
            RegistryWriter writer,
            boolean misplaced) {
        this.changing = changing;
        this.gateways = gateways;
        this.homes = homes;
        this.heads = heads;
        this.table = table;
        this.shown = shown;
        this.revisions = revisions;
        this.writer = writer;
        this.unchecked = misplaced ? 0 : shown.portions();
    }

    @Override
    public void up(GatewayAddress gateway) {
        table.renewGateway(gateway.id());
        settleNow(gateway.id(), false);
    }

    @Override
    public void away(String gatewayId) {}

    @Override
    public void gone(String gatewayId) {
        int had = table.sizeOfGateway(gatewayId);
        settleNow(gatewayId, true);
        int left = table.sizeOfGateway(gatewayId);
        if (had > 0) {
            LOG.atWarn()
                    .addKeyValue("gateway", gatewayId)
                    .addKeyValue("ended", had - left)
                    .addKeyValue("failover", left)
                    .log("a gateway is gone: its subscriptions end, except those that allow failover");
        }
    }

    private void settleNow(String gatewayId, boolean gone) {
        unsettled.put(gatewayId, new Unsettled(gone));
        try {
            while (settle(gatewayId) > 0) {}
        } catch (NotReadyException e) {
            LOG.atInfo()
                    .addKeyValue("gateway", gatewayId)
                    .addKeyValue("reason", e.getMessage())
                    .log("the subscriptions of a gateway get their new home later");
        } catch (Throwable e) {
            LOG.atError()
                    .addKeyValue("gateway", gatewayId)
                    .setCause(e)
                    .log("the subscriptions of a gateway that came or went cannot be changed yet: tried again");
        }
    }

    /** Settles the next portion of whatever is not settled; returns how many subscriptions have changed. */
    int settleNext() {
        try {
            int changed = 0;
            for (String gateway : List.copyOf(unsettled.keySet())) {
                changed = changed == 0 ? settle(gateway) : changed;
            }
            while (changed == 0 && unchecked < shown.portions()) {
                changed = check(unchecked);
            }
            return changed;
        } catch (NotReadyException e) {
            LOG.atDebug().addKeyValue("reason", e.getMessage()).log("subscriptions get their new home later");
            return 0;
        }
    }

    private int check(int portion) {
        List<SubscriptionRecord> misplaced = new ArrayList<>();
        shown.reading(() -> {
            shown.forEachIn(portion, misplaced::add);
            return true;
        });
        misplaced.removeIf(each -> !isMisplaced(each));
        int moved = misplaced.isEmpty() ? 0 : move(misplaced);
        unchecked = Math.max(unchecked, portion + 1);
        return moved;
    }

    /** Settles the next portion of a gateway's subscriptions; returns how many have changed. */
    private int settle(String gatewayId) {
        Unsettled news = unsettled.get(gatewayId);
        if (news == null) {
            return 0;
        }
        int ended = news.gone ? endWithoutFailover(gatewayId) : 0;
        if (ended > 0) {
            return ended;
        }
        List<SubscriptionRecord> misplaced = table.ofGateway(gatewayId).stream()
                .filter(this::isMisplaced)
                .limit(SETTLED_AT_ONCE)
                .toList();
        if (misplaced.isEmpty()) {
            unsettled.remove(gatewayId, news);
            return 0;
        }
        return move(misplaced);
    }

    private boolean isMisplaced(SubscriptionRecord record) {
        return !homes.apply(record.definition()).equals(record.home());
    }

    private int endWithoutFailover(String gatewayId) {
        changing.lock();
        try {
            if (gateways.isRegistered(gatewayId)) {
                return 0;
            }
            List<SubscriptionRecord> ending = table.ofGateway(gatewayId).stream()
                    .filter(each -> !each.definition().failover())
                    .limit(SETTLED_AT_ONCE)
                    .toList();
            writer.end(ending, SubscriptionEnd.GATEWAY_GONE);
            return ending.size();
        } finally {
            changing.unlock();
        }
    }

    private int move(List<SubscriptionRecord> misplaced) {
        Places since = heads.heads();
        changing.lock();
        try {
            List<RegistryChange> changes = new ArrayList<>();
            for (SubscriptionRecord each : misplaced) {
                SubscriptionRecord before = shown.find(each.id());
                if (before != null && isMisplaced(before)) {
                    SubscriptionRecord now =
                            revisions.changed(before, before.definition(), homes.apply(before.definition()), since);
                    changes.add(new RegistryChange(now.revision(), now.id(), before, now, null));
                }
            }
            writer.rewrite(changes);
            return changes.size();
        } finally {
            changing.unlock();
        }
    }
}
