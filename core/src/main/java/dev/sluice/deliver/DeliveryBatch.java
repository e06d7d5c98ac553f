package dev.sluice.deliver;

import java.util.List;

/**
 * What one attempt carries, in order. A batch without deliveries asks whether the gateway answers at all, or tells an idle
 * gateway how far its partitions have got.
 *
 * @param introductions what the gateway is to know before the first of them
 * @param passed how far partitions have got with this gateway's subscriptions
 */
public record DeliveryBatch(
        String gatewayId, List<Delivery> deliveries, Introductions introductions, List<Passed> passed) {
    public DeliveryBatch {
        deliveries = List.copyOf(deliveries);
        passed = List.copyOf(passed);
    }

    /** Of subscriptions the gateway knows. */
    public DeliveryBatch(String gatewayId, List<Delivery> deliveries) {
        this(gatewayId, deliveries, Introductions.NONE);
    }

    public DeliveryBatch(String gatewayId, List<Delivery> deliveries, Introductions introductions) {
        this(gatewayId, deliveries, introductions, List.of());
    }

    public boolean isProbe() {
        return deliveries.isEmpty();
    }
}
