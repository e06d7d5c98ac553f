package dev.sluice.deliver;

import java.util.List;

/**
 * What one attempt carries, in order. An empty batch is a probe: it asks whether the gateway answers at all.
 */
public record DeliveryBatch(String gatewayId, List<Delivery> deliveries) {
    public DeliveryBatch {
        deliveries = List.copyOf(deliveries);
    }

    public boolean isProbe() {
        return deliveries.isEmpty();
    }
}
