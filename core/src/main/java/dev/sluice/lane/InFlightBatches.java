package dev.sluice.lane;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What has left the queues of one lane and is not done: shipments, under way or waiting to be sent again, and what is on its
 * way to the dead letters. Guarded by its lane.
 */
final class InFlightBatches {
    private final List<Shipment> shipments = new ArrayList<>();
    private final Set<PendingDelivery> buried = new LinkedHashSet<>();
    private int flying;

    /** How many are under way at this moment. */
    int flying() {
        return flying;
    }

    /** Whether nothing is under way or waits to be sent again. */
    boolean isEmpty() {
        return shipments.isEmpty();
    }

    Shipment add(List<PendingDelivery> batch, long now) {
        Shipment shipment = new Shipment(batch);
        shipment.dueAt = now;
        shipments.add(shipment);
        return shipment;
    }

    /** One whose time has come; null: there is none. */
    @Nullable
    Shipment due(long now) {
        return waiting().filter(each -> each.dueAt - now <= 0).findFirst().orElse(null);
    }

    /** How long until the first of those that wait is due; empty: none waits. */
    OptionalLong untilDue(long now) {
        return waiting().mapToLong(each -> each.dueAt - now).min();
    }

    private Stream<Shipment> waiting() {
        return shipments.stream().filter(each -> !each.flying);
    }

    /** The gateway has registered again: all that wait go out now. */
    void retryNow(long now) {
        waiting().forEach(each -> {
            each.forgetFailures();
            each.dueAt = now;
        });
    }

    /** Whether another shipment than this one failed when it was last sent. */
    boolean failsBeside(@Nullable Shipment one) {
        return shipments.stream().anyMatch(each -> each != one && each.failures() > 0);
    }

    void takeOff(Shipment shipment) {
        shipment.flying = true;
        flying++;
    }

    /** It goes out again at that time, unless nothing of it is left. */
    void land(Shipment shipment, long dueAt) {
        flying -= shipment.flying ? 1 : 0;
        shipment.flying = false;
        shipment.dueAt = dueAt;
        if (shipment.isEmpty()) {
            shipments.remove(shipment);
        }
    }

    /** The batch that carries something of this flow; null: there is none. */
    @Nullable
    Shipment of(Flow flow) {
        return shipments.stream().filter(each -> each.carries(flow)).findFirst().orElse(null);
    }

    /** Whether something of this flow is on its way to the dead letters. */
    boolean isBurying(Flow flow) {
        return buried.stream().anyMatch(each -> each.flow == flow);
    }

    /** Takes what is meant out of the batches that wait to be sent again, and returns it. */
    List<PendingDelivery> withdrawWaiting(Predicate<PendingDelivery> which, LaneQueues queues) {
        List<PendingDelivery> withdrawn = new ArrayList<>();
        for (Shipment shipment : waiting().toList()) {
            List<PendingDelivery> meant = shipment.left().stream().filter(which).toList();
            if (!meant.isEmpty()) {
                shipment.leaveOut(meant);
                shipment.releaseFlows();
                queues.forget(meant);
                withdrawn.addAll(meant);
                if (shipment.isEmpty()) {
                    shipments.remove(shipment);
                }
            }
        }
        return withdrawn;
    }

    /** They are not done before they are safe. */
    void bury(List<PendingDelivery> owed) {
        buried.addAll(owed);
    }

    void buried(List<PendingDelivery> owed) {
        owed.forEach(buried::remove);
    }

    Stream<PendingDelivery> all() {
        return Stream.concat(shipments.stream().flatMap(each -> each.left().stream()), buried.stream());
    }
}
