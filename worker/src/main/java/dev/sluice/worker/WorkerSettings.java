package dev.sluice.worker;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.model.InvalidInputException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits and choices of one worker. Change a copy with {@link #with}; what does not fit together is refused by the
 * constructor, with the way out.
 *
 * @param consumers one durable consumer for all partitions of a worker, or one per partition
 * @param order what is handled in order: a whole partition, or each subject of it
 * @param start where a partition begins that nobody has handled yet
 * @param onGap what to do when messages between the cursor and the stream's first message are gone
 * @param maxSubjects how many subjects one consumer may filter; more partitions are spread over {@code shards}; those beyond get consumers of their own and are reported as a problem
 * @param shards how many durable consumers one worker may have when one is full
 * @param minUpdateInterval between two changes of a worker's durable consumer
 * @param maxAckPending messages in flight per consumer; all consumers of a worker share 40 times as many, and 128 MiB
 * @param maxWaiting how many pull requests may wait at the server
 * @param ackWait after which the server delivers an unacknowledged message again
 * @param attempts of a handler, then the message becomes a dead letter
 * @param backoff pauses between attempts; the last one repeats
 * @param inactiveThreshold after which the server deletes a consumer that nobody pulls from
 * @param batch messages of the first pull requests; later requests follow throughput and latency
 * @param batchBytes upper bound of one pull request in bytes; 0: none
 * @param maxSingles on work-queue streams: how many partitions have a consumer of their own before all are joined
 * @param discover how often new subjects of a pattern are looked for
 * @param lease after which the partitions of a silent worker go to others
 * @param handoffTimeout how long a handler may take to finish when its partition moves
 * @param stabiliser how long changes of workers are gathered before partitions move
 * @param poolSize how many worker ids there are
 * @param idFile where this process remembers its worker id; null: it takes any free one
 * @param deadLetters the stream that keeps dead letters; null: none, and a message that fails for good stops its partition
 */
public record WorkerSettings(
        ConsumerMode consumers,
        Order order,
        Start start,
        OnGap onGap,
        int maxSubjects,
        int shards,
        Duration minUpdateInterval,
        int maxAckPending,
        int maxWaiting,
        Duration ackWait,
        int attempts,
        List<Duration> backoff,
        Duration inactiveThreshold,
        int batch,
        int batchBytes,
        int maxSingles,
        Duration discover,
        Duration lease,
        Duration handoffTimeout,
        StabiliserSettings stabiliser,
        int poolSize,
        @Nullable Path idFile,
        @Nullable String deadLetters) {

    public enum ConsumerMode {
        PER_WORKER,
        PER_PARTITION
    }

    public enum Order {
        PARTITION,
        KEY
    }

    public enum Start {
        EARLIEST,
        NOW
    }

    public enum OnGap {
        STOP,
        CONTINUE
    }

    public static final WorkerSettings DEFAULT = new WorkerSettings(new Draft());

    private WorkerSettings(Draft draft) {
        this(
                draft.consumers,
                draft.order,
                draft.start,
                draft.onGap,
                draft.maxSubjects,
                draft.shards,
                draft.minUpdateInterval,
                draft.maxAckPending,
                draft.maxWaiting,
                draft.ackWait,
                draft.attempts,
                draft.backoff,
                draft.inactiveThreshold,
                draft.batch,
                draft.batchBytes,
                draft.maxSingles,
                draft.discover,
                draft.lease,
                draft.handoffTimeout,
                draft.stabiliser,
                draft.poolSize,
                draft.idFile,
                draft.deadLetters);
    }

    public WorkerSettings {
        backoff = List.copyOf(backoff);
        check(maxSubjects >= 1, "max_subjects must be at least 1, not " + maxSubjects);
        check(shards >= 1 && shards <= 100, "shards is 1 to 100, not " + shards);
        check(maxAckPending >= 8, "max_ack_pending must be at least 8, not " + maxAckPending);
        check(maxWaiting >= 1, "max_waiting must be at least 1, not " + maxWaiting);
        check(attempts >= 1, "attempts must be at least 1, not " + attempts);
        check(!backoff.isEmpty(), "backoff needs at least one pause");
        check(batch >= 1, "batch must be at least 1, not " + batch);
        check(batchBytes >= 0, "batch_bytes must be at least 0, not " + batchBytes);
        check(maxSingles >= 0, "max_singles must be at least 0, not " + maxSingles);
        check(discover.isPositive(), "discover must be above 0, not " + discover);
        check(
                handoffTimeout.compareTo(ackWait) < 0,
                "the handoff timeout (" + handoffTimeout + ") must be shorter than ack_wait (" + ackWait
                        + "): else the server delivers a message again while its partition is handed over");
        check(
                inactiveThreshold.compareTo(lease.plus(handoffTimeout)) > 0,
                "inactive_threshold (" + inactiveThreshold + ") must be longer than the lease and the handoff timeout"
                        + " together (" + lease.plus(handoffTimeout)
                        + "): else the server deletes the consumer of a worker that still owns its partitions");
    }

    private static void check(boolean holds, String problem) {
        if (!holds) {
            throw new InvalidInputException(problem);
        }
    }

    /** The pause before attempt {@code failed + 1}. */
    public Duration pauseAfter(int failed) {
        return backoff.get(Math.min(failed, backoff.size()) - 1);
    }

    /** A copy in which some values are changed. */
    public WorkerSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new WorkerSettings(draft);
    }

    /** The values of a copy that is being made. */
    public static final class Draft {
        public ConsumerMode consumers = ConsumerMode.PER_WORKER;
        public Order order = Order.PARTITION;
        public Start start = Start.EARLIEST;
        public OnGap onGap = OnGap.STOP;
        public int maxSubjects = 500;
        public int shards = 1;
        public Duration minUpdateInterval = Duration.ofSeconds(1);
        public int maxAckPending = 500;
        public int maxWaiting = 256;
        public Duration ackWait = Duration.ofSeconds(30);
        public int attempts = 3;
        public List<Duration> backoff = List.of(Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(15));
        public Duration inactiveThreshold = Duration.ofMinutes(10);
        public int batch = 50;
        public int batchBytes;
        public int maxSingles = 8;
        public Duration discover = Duration.ofSeconds(10);
        public Duration lease = Duration.ofSeconds(10);
        public Duration handoffTimeout = Duration.ofSeconds(10);
        public StabiliserSettings stabiliser = StabiliserSettings.DEFAULT;
        public int poolSize = 1_000;
        public @Nullable Path idFile;
        public @Nullable String deadLetters;

        private Draft() {}

        private Draft(WorkerSettings from) {
            consumers = from.consumers;
            order = from.order;
            start = from.start;
            onGap = from.onGap;
            maxSubjects = from.maxSubjects;
            shards = from.shards;
            minUpdateInterval = from.minUpdateInterval;
            maxAckPending = from.maxAckPending;
            maxWaiting = from.maxWaiting;
            ackWait = from.ackWait;
            attempts = from.attempts;
            backoff = from.backoff;
            inactiveThreshold = from.inactiveThreshold;
            batch = from.batch;
            batchBytes = from.batchBytes;
            maxSingles = from.maxSingles;
            discover = from.discover;
            lease = from.lease;
            handoffTimeout = from.handoffTimeout;
            stabiliser = from.stabiliser;
            poolSize = from.poolSize;
            idFile = from.idFile;
            deadLetters = from.deadLetters;
        }
    }
}
