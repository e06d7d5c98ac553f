package dev.sluice.grpc;

import dev.sluice.grpc.streamer.v1.ListRequest;
import dev.sluice.grpc.streamer.v1.Refusal;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import dev.sluice.subscribe.SubscriptionQuery;
import java.time.Duration;
import java.util.Optional;

/** Between the wire's messages and our values. */
public final class SubscriptionMessages {
    private static final String EVERYTHING = "{}";

    private SubscriptionMessages() {}

    /** @throws InvalidInputException with a sentence for whoever sent it */
    public static Subscription read(dev.sluice.grpc.streamer.v1.Subscription message) {
        return new Subscription(
                message.getId(),
                message.getGatewayId(),
                message.getTenant(),
                message.getCollection(),
                message.hasDocumentId() ? Optional.of(message.getDocumentId()) : Optional.empty(),
                message.getFilter().isEmpty() ? EVERYTHING : message.getFilter(),
                message.getPriority().isEmpty() ? Priority.NORMAL : Priority.parse(message.getPriority()),
                message.getTtlSeconds() == 0 ? Subscription.DEFAULT_TTL : Duration.ofSeconds(message.getTtlSeconds()),
                message.getFrom().isEmpty() ? Optional.empty() : Optional.of(ProgressMarker.decode(message.getFrom())),
                message.getFailover(),
                message.getTransitions());
    }

    public static dev.sluice.grpc.streamer.v1.Subscription write(Subscription subscription) {
        dev.sluice.grpc.streamer.v1.Subscription.Builder message = dev.sluice.grpc.streamer.v1.Subscription.newBuilder()
                .setId(subscription.id())
                .setGatewayId(subscription.gatewayId())
                .setTenant(subscription.tenant())
                .setCollection(subscription.collection())
                .setFilter(subscription.filter())
                .setPriority(subscription.priority().text())
                .setTtlSeconds(subscription.ttl().toSeconds())
                .setFailover(subscription.failover())
                .setTransitions(subscription.transitions());
        subscription.documentId().ifPresent(message::setDocumentId);
        subscription.from().ifPresent(from -> message.setFrom(from.encode()));
        return message.build();
    }

    static Refusal write(dev.sluice.subscribe.Refusal refusal) {
        return Refusal.newBuilder()
                .setIndex(refusal.index())
                .setId(refusal.id())
                .setReason(refusal.reason())
                .build();
    }

    static SubscriptionQuery read(ListRequest request) {
        return new SubscriptionQuery(
                request.getGatewayId(),
                request.getTenant(),
                request.getCollection(),
                request.getPageToken(),
                request.getPageSize() == 0 ? SubscriptionQuery.DEFAULT_LIMIT : request.getPageSize());
    }
}
