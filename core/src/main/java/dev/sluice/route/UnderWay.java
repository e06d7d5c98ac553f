package dev.sluice.route;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What has left the queues of one lane and is not done: shipments, in the air or waiting to go out again, and what is on its
 * way to the dead letters. Guarded by its lane.
 */
final class UnderWay {
    private final List<Shipment> shipments = new ArrayList<>();
    private final Set<Owed> buried = new LinkedHashSet<>();
    private int flying;

    /** How many are in the air. */
    int flying() {
        return flying;
    }

    Shipment add(List<Owed> batch, long now) {
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

    /** What is meant is not sent again when it fails. */
    void abandon(Predicate<Owed> which) {
        shipments.forEach(shipment -> shipment.left().stream().filter(which).forEach(each -> each.abandoned = true));
    }

    /** They are not done before they are safe. */
    void bury(List<Owed> owed) {
        buried.addAll(owed);
    }

    void buried(List<Owed> owed) {
        owed.forEach(buried::remove);
    }

    Stream<Owed> all() {
        return Stream.concat(shipments.stream().flatMap(each -> each.left().stream()), buried.stream());
    }
}
