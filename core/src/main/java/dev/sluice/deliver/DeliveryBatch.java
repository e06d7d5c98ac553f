package dev.sluice.deliver;

import java.util.List;

/**
 * What one attempt carries, in order. An empty batch is a probe: it asks whether the gateway answers at all.
 *
 * @param introductions what the gateway is to know before the first of them
 */
public record DeliveryBatch(String gatewayId, List<Delivery> deliveries, Introductions introductions) {
    public DeliveryBatch {
        deliveries = List.copyOf(deliveries);
    }

    /** Of subscriptions the gateway knows. */
    public DeliveryBatch(String gatewayId, List<Delivery> deliveries) {
        this(gatewayId, deliveries, Introductions.NONE);
    }

    public boolean isProbe() {
        return deliveries.isEmpty();
    }
}
