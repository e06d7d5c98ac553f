package dev.sluice.grpc;

import dev.sluice.grpc.puller.v1.SubscribeRequest;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Position;
import dev.sluice.model.ProgressMarker;
import dev.sluice.stream.DocumentEncoding;
import dev.sluice.stream.EventFilter;
import dev.sluice.stream.LogStart;
import dev.sluice.stream.StreamRequest;
import org.jspecify.annotations.Nullable;

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
                encoding(request),
                start(request));
    }

    private static @Nullable LogStart start(SubscribeRequest request) {
        if (request.getLog().isEmpty()) {
            refuse(
                    request.getLogIdentity() != 0 || !request.getAfterId().isEmpty() || request.getAfterOrdinal() != 0,
                    "log_identity, after_id and after_ordinal belong to a log: name it in log");
            return null;
        }
        refuse(request.getCoalesceOnCatchUp(), "coalesce_on_catch_up cannot be combined with log");
        return new LogStart(request.getLog(), request.getLogIdentity(), position(request));
    }

    private static @Nullable Position position(SubscribeRequest request) {
        if (request.getAfterId().isEmpty()) {
            refuse(request.getAfterOrdinal() != 0, "after_ordinal belongs to an event id: send it in after_id");
            return null;
        }
        refuse(!request.getAfter().isEmpty(), "after and after_id both say where to begin: send one of them");
        refuse(request.getLogIdentity() == 0, "after_id is a position of one log identity: send it in log_identity");
        return new Position(EventId.parse(request.getAfterId()), request.getAfterOrdinal());
    }

    private static void refuse(boolean wrong, String reason) {
        if (wrong) {
            throw new InvalidInputException(reason);
        }
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
