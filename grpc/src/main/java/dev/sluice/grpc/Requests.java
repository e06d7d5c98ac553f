package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import dev.sluice.stream.DocumentEncoding;
import dev.sluice.stream.EventFilter;
import dev.sluice.stream.StreamRequest;

/** From the wire's request to one whose every part is valid. */
final class Requests {
    private Requests() {}

    /** @throws InvalidInputException with a sentence for the consumer */
    static StreamRequest read(SubscribeRequest request) {
        return new StreamRequest(
                request.getConsumerId(),
                request.getAfter().isEmpty() ? null : ProgressMarker.decode(request.getAfter()),
                EventFilter.of(
                        request.getPartitionsList(),
                        request.getNumPartitions(),
                        request.getTenantsList(),
                        request.getCollectionsList()),
                request.getCoalesceOnCatchUp(),
                request.getHeartbeats(),
                encoding(request));
    }

    private static DocumentEncoding encoding(SubscribeRequest request) {
        return switch (request.getEncoding()) {
            case JSON -> DocumentEncoding.JSON;
            case BSON -> DocumentEncoding.BSON;
            case UNRECOGNIZED ->
                throw new InvalidInputException("encoding " + request.getEncodingValue() + " is neither JSON nor BSON");
        };
    }
}
