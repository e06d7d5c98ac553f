package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.SendOutcome;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.jspecify.annotations.Nullable;

/** Whom a failure is about: the row, its topic, or Kafka. */
final class KafkaFailure {
    private static final int LONGEST_REASON = 500;

    private KafkaFailure() {}

    /** What becomes of the row, when the failure is about this row alone, or its topic. */
    static Optional<SendOutcome> ofRow(Exception failed) {
        if (failed instanceof RecordTooLargeException
                || failed instanceof RecordBatchTooLargeException
                || failed instanceof SerializationException
                || failed instanceof InvalidTopicException
                || failed instanceof InvalidRecordException
                || failed instanceof UnsupportedForMessageFormatException) {
            return Optional.of(new SendOutcome.Refused(reason(failed)));
        }
        if (failed instanceof TopicAuthorizationException || failed instanceof UnknownTopicOrPartitionException) {
            return Optional.of(new SendOutcome.Blocked(reason(failed)));
        }
        return Optional.empty();
    }

    static boolean isFenced(Throwable failed) {
        return failed instanceof ProducerFencedException || failed instanceof InvalidProducerEpochException;
    }

    static String reason(Throwable failed) {
        String text = failed.getClass().getSimpleName() + ": " + failed.getMessage();
        return text.length() <= LONGEST_REASON ? text : text.substring(0, LONGEST_REASON);
    }

    /** What a future of Kafka's failed by. */
    static Exception cause(ExecutionException failed) {
        @Nullable Throwable cause = failed.getCause();
        return cause instanceof Exception exception ? exception : failed;
    }
}
