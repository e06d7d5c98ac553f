package dev.sluice.worker.partition;

import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Retention;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a stream fits the partitions of its workers. The stream belongs to its user and is only looked at.
 *
 * @param refusals why workers must not start
 * @param warnings what an operator should change
 */
public record StreamFit(List<String> refusals, List<String> warnings) {
    /** From NATS 2.15 on, a stream without a limit of its own has this one. */
    private static final int DEFAULT_MAX_CONSUMERS = 1_000;

    public StreamFit {
        refusals = List.copyOf(refusals);
        warnings = List.copyOf(warnings);
    }

    /** @param count how many partitions there are */
    public static StreamFit of(StreamState state, Partitions partitions, int count, ConsumerMode mode) {
        List<String> refusals = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        if (state.retention() == Retention.INTEREST && partitions instanceof SubjectPattern) {
            refusals.add("stream " + state.name() + " has interest retention, and " + partitions.describe()
                    + " finds a subject only after its first message, which such a stream does not keep:"
                    + " use a list or hashed partitions");
        }
        if (partitions instanceof HashedSubjects hashed) {
            HashedTransform.missing(state, hashed).ifPresent(warnings::add);
        }
        if (mode == ConsumerMode.PER_PARTITION) {
            checkConsumers(state, count, refusals, warnings);
        }
        return new StreamFit(refusals, warnings);
    }

    /** While partitions move, the next owner's consumer is there before the last owner's is gone. */
    private static void checkConsumers(StreamState state, int count, List<String> refusals, List<String> warnings) {
        boolean limited = state.maxConsumers() > 0;
        long allowed = limited ? state.maxConsumers() : DEFAULT_MAX_CONSUMERS;
        if (2L * count <= allowed) {
            return;
        }
        String text = "one consumer per partition needs " + count + " consumers, and twice as many while all partitions"
                + " move, but stream " + state.name() + " allows " + (limited ? "" : "by default (NATS 2.15) ")
                + allowed
                + ": use consumers: per-worker, or set max_consumers of the stream to at least " + 2L * count
                + " (NATS 2.10 takes that only for a new stream)";
        (limited && count > allowed ? refusals : warnings).add(text);
    }

    /** @throws InvalidInputException with all refusals */
    public StreamFit orRefuse() {
        if (!refusals.isEmpty()) {
            throw new InvalidInputException(String.join("; ", refusals));
        }
        return this;
    }
}
