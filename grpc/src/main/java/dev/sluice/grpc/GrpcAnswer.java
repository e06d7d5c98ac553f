package dev.sluice.grpc;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.DeliveryReply;
import dev.sluice.deliver.Reason;
import dev.sluice.grpc.streamer.v1.DeliveryAck;
import dev.sluice.grpc.streamer.v1.Rejection;
import dev.sluice.grpc.streamer.v1.Retry;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a gateway's ack or status means. Only its own word counts against an event: all it does not say is later. */
final class GrpcAnswer {
    private static final Metadata.Key<String> RETRY_AFTER =
            Metadata.Key.of("retry-after", Metadata.ASCII_STRING_MARSHALLER);

    /** RESOURCE_EXHAUSTED also means "too busy": what the gRPC libraries say of a message that is too large. */
    private static final Pattern TOO_LARGE =
            Pattern.compile("(?i)larger than max|exceeds (the )?max\\w* (configured )?(message )?size");

    private GrpcAnswer() {}

    static BatchOutcome read(DeliveryAck ack, int events) {
        DeliveryReply.EventAnswers said = new DeliveryReply.EventAnswers(events);
        try {
            said.accept(ack.getAccepted());
            for (Rejection rejection : ack.getRejectionsList()) {
                said.reject(rejection.getIndex(), rejection.getReason());
            }
            ack.getUnknownList().forEach(said::notHeld);
            for (Retry retry : ack.getRetriesList()) {
                said.later(retry.getIndex(), retry.getReason(), retry.getBroke());
            }
            if (ack.getRejected() > ack.getRejectionsCount()) {
                throw new IllegalArgumentException(
                        "it rejects " + ack.getRejected() + " events and names " + ack.getRejectionsCount());
            }
            return said.outcome();
        } catch (IllegalArgumentException garbage) {
            return new BatchOutcome.RetryLater("the gateway's answer makes no sense: " + Reason.of(garbage));
        }
    }

    static BatchOutcome read(StatusRuntimeException failed) {
        Status status = failed.getStatus();
        String reason = Reason.of(failed);
        return switch (status.getCode()) {
            case FAILED_PRECONDITION -> new BatchOutcome.Fenced(reason);
            case INVALID_ARGUMENT -> new BatchOutcome.Refused(reason);
            case RESOURCE_EXHAUSTED -> isTooLarge(status) ? new BatchOutcome.Refused(reason) : later(failed, false);
            // What a handler that threw answers.
            case INTERNAL, UNKNOWN, DATA_LOSS -> later(failed, true);
            default -> later(failed, false);
        };
    }

    /** RESOURCE_EXHAUSTED because of the size of the message, and not because the receiver is busy. */
    static boolean isTooLarge(Status status) {
        return TOO_LARGE.matcher(String.valueOf(status.getDescription())).find();
    }

    private static BatchOutcome later(StatusRuntimeException failed, boolean eventMayBeToBlame) {
        return new BatchOutcome.RetryLater(Reason.of(failed), retryAfter(failed.getTrailers()), eventMayBeToBlame);
    }

    private static Optional<Duration> retryAfter(@Nullable Metadata trailers) {
        String text = trailers == null ? null : trailers.get(RETRY_AFTER);
        return text != null && text.matches("\\d{1,18}") ? DeliveryReply.pause(Long.parseLong(text)) : Optional.empty();
    }
}
