package dev.sluice.grpc;

import com.google.protobuf.UnsafeByteOperations;
import dev.sluice.deliver.Delivery;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.deliver.Passed;
import dev.sluice.grpc.streamer.v1.EventBatch;
import dev.sluice.grpc.streamer.v1.FencingToken;
import dev.sluice.grpc.streamer.v1.StreamerEvent;
import dev.sluice.model.ChangeEvent;

/** A batch as {@code sluice.streamer.v1} has it. The documents' texts are shared with all who get them, not copied. */
final class DeliveryMessage {
    private DeliveryMessage() {}

    static EventBatch of(DeliveryBatch batch) {
        EventBatch.Builder message =
                EventBatch.newBuilder().setGatewayId(batch.gatewayId()).setPerEventRetries(true);
        batch.introductions()
                .subscriptions()
                .forEach(subscription -> message.addSubscriptions(SubscriptionMessages.write(subscription)));
        message.addAllToldBefore(batch.introductions().toldBefore());
        batch.deliveries().forEach(delivery -> message.addEvents(event(delivery)));
        batch.passed().forEach(passed -> message.addPassed(passed(passed)));
        return message.build();
    }

    private static dev.sluice.grpc.streamer.v1.Passed passed(Passed passed) {
        return dev.sluice.grpc.streamer.v1.Passed.newBuilder()
                .setGeneration(passed.generation())
                .setPartitions(passed.partitions())
                .setPartitionId(passed.partition())
                .setMarker(passed.marker().encode())
                .setRevision(passed.revision())
                .addAllExcept(passed.except())
                .build();
    }

    private static StreamerEvent event(Delivery delivery) {
        ChangeEvent event = delivery.event().event();
        return StreamerEvent.newBuilder()
                .setSubscriptionId(delivery.subscriptionId())
                .setEventType(delivery.type().text())
                .setTenant(event.tenant())
                .setCollection(event.collection())
                .setDocumentId(event.documentId().text())
                .setPayload(UnsafeByteOperations.unsafeWrap(delivery.event().document()))
                .setUpdateDescription(
                        UnsafeByteOperations.unsafeWrap(delivery.event().updateDescription()))
                .setSeq(delivery.seq())
                .setPartitionId(delivery.partition())
                .setEventId(event.id().toString())
                .setFencingToken(FencingToken.newBuilder()
                        .setGeneration(delivery.token().generation())
                        .setEpoch(delivery.token().epoch()))
                .setRedelivery(delivery.redelivery())
                .setTimestamp(event.timestamp())
                .setProgress(delivery.progress())
                .setLookup(event.lookup())
                .setRepresentative(delivery.representative())
                .setPriority(
                        delivery.standsFor() == null ? "" : delivery.standsFor().text())
                .setRevision(delivery.revision())
                .setLog(event.backend())
                .addAllExcept(delivery.except())
                .build();
    }
}
