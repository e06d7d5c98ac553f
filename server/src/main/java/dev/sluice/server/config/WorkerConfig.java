package dev.sluice.server.config;

import dev.sluice.server.config.yaml.ConnectionString;
import dev.sluice.server.config.yaml.DataSize;
import dev.sluice.server.config.yaml.Durations;
import dev.sluice.server.config.yaml.Refused;
import dev.sluice.server.config.yaml.Secret;
import dev.sluice.server.config.yaml.Setting;
import dev.sluice.worker.ConsumerPrefix;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A partitioned JetStream worker. It coordinates through NATS KV on its own {@code servers}, whatever {@code cluster.store}
 * is; the lease and the secrets of members are those of {@code cluster}.
 */
@Refused(key = "fetch_batch", reason = "is refused: its name is batch now")
@Refused(key = "max_attempts", reason = "is refused: its name is attempts now")
@Refused(key = "update_interval", reason = "is refused: its name is min_update_interval now")
@Refused(
        key = "max_deliver",
        reason =
                "is refused: the server's MaxDeliver stays unlimited, because past it the server drops the message; set"
                        + " attempts")
public record WorkerConfig(
        @Setting(
                fallback = "nats://127.0.0.1:4222",
                meaning = "The NATS servers with the stream, `tls://…` for TLS; claims and cursors are kept there too.")
        List<ConnectionString> servers,

        @Setting(meaning = "The NATS user, with `password`.")
        Optional<String> user,

        @Setting(meaning = "Its password; best as `${WORKER_NATS_PASSWORD}`.")
        Optional<Secret> password,

        @Setting(meaning = "A token instead of a user; best as `${WORKER_NATS_TOKEN}`.")
        Optional<Secret> token,

        @Setting(meaning = "A credentials file (`.creds`) instead of either.")
        Optional<Path> credentials,

        @Setting(
                fallback = "1",
                meaning = "Copies NATS keeps of claims, cursors and dead letters; 3 where it has three servers.")
        int replicas,

        @Setting(shown = "**required** for the role worker", meaning = "The JetStream stream to consume.")
        Optional<String> stream,

        @Setting(
                fallback = "sluice",
                meaning =
                        "Names the group: workers of one prefix share the partitions, and consumers are named after it; 1 to 64 letters, digits, `_` or `-`.")
        String consumerPrefix,

        @Setting(meaning = "What is handled in order.") WorkerPartitions partitions,

        @Setting(
                fallback = "per_worker",
                meaning =
                        "One durable consumer per worker, or one per partition (advised for hashed ones and work queues).")
        Consumers consumers,

        @Setting(fallback = "500", meaning = "Subjects one consumer may filter; more need `shards`.")
        int maxSubjects,

        @Setting(fallback = "1", meaning = "Durable consumers a worker may have when one has `max_subjects`.")
        int shards,

        @Setting(fallback = "1s", meaning = "Shortest pause between two changes of a worker's durable consumer.")
        Duration minUpdateInterval,

        @Setting(
                fallback = "500",
                meaning =
                        "Messages in flight per consumer at most; all consumers of a worker share 40 times as many, and 128 MiB.")
        int maxAckPending,

        @Setting(fallback = "256", meaning = "Pull requests waiting at the server at most.")
        int maxWaiting,

        @Setting(
                fallback = "30s",
                meaning = "Redelivery when unacknowledged for so long; about three times the handler's p95.")
        Duration ackWait,

        @Setting(fallback = "3", meaning = "Attempts at a message before it becomes a dead letter.")
        int attempts,

        @Setting(fallback = "2s, 5s, 15s", meaning = "Pauses between attempts; the last one repeats.")
        List<Duration> backoff,

        @Setting(
                fallback = "10m",
                meaning =
                        "The server deletes a consumer nobody pulls from for so long; longer than `cluster.lease_ttl` and a handoff.")
        Duration inactiveThreshold,

        @Setting(
                fallback = "50",
                meaning = "Messages of the first pull requests; later ones follow throughput and latency.")
        int batch,

        @Setting(meaning = "Upper bound of one pull request, as in `1MiB`.")
        Optional<DataSize> batchBytes,

        @Setting(
                fallback = "earliest",
                meaning = "Where a partition begins that no worker has handled yet. A work queue takes only earliest.")
        Start start,

        @Setting(
                fallback = "stop",
                meaning =
                        "When messages behind the cursor are gone from the stream: stop the partition, or continue at the first there is.")
        OnGap onGap,

        @Setting(fallback = "10s", meaning = "How often new subjects of a pattern are looked for.")
        Duration discover,

        @Setting(
                fallback = "partition",
                meaning = "What is handled one after the other: a whole partition, or each subject (key) of it.")
        Order order,

        @Setting(shown = "as `cluster.assignment`", meaning = "How partitions are spread over workers.")
        Optional<ClusterConfig.Assignment> strategy,

        @Setting(
                fallback = "8",
                meaning =
                        "On work-queue streams: partitions with a consumer of their own before all are joined in one.")
        int maxSingles,

        @Setting(
                meaning =
                        "A file of this process alone that remembers its worker id for the next start; else it takes the lowest free id.")
        Optional<Path> idFile,

        @Setting(meaning = "Limits of `sluice worker migrate`.")
        WorkerMigration migration,

        @Setting(meaning = "Dead letters.") WorkerDlq dlq,
        @Setting(meaning = "What becomes of messages.") WorkerHandler handler) {

    /** How long a handler may take to finish when its partition moves, where ack_wait leaves room for it. */
    private static final Duration LONGEST_HANDOFF = Duration.ofSeconds(10);

    private static final int LONGEST_BATCH_BYTES = 1 << 30;

    public enum Consumers {
        PER_WORKER,
        PER_PARTITION
    }

    public enum Start {
        EARLIEST,
        NOW
    }

    public enum OnGap {
        STOP,
        CONTINUE
    }

    public enum Order {
        PARTITION,
        KEY
    }

    public WorkerConfig {
        NatsLogin.rules(user, password, token, credentials)
                .require(!servers.isEmpty(), "must name at least one server", "servers")
                .between(1, 5, replicas, "replicas")
                .require(
                        stream.isEmpty() || isName(stream.get()),
                        "must be the name of a stream: no spaces, and none of . * > / \\",
                        "stream")
                .require(ConsumerPrefix.isValid(consumerPrefix), ConsumerPrefix.RULE, "consumerPrefix")
                .atLeast(1, maxSubjects, "maxSubjects")
                .between(1, 100, shards, "shards")
                .positive(minUpdateInterval, "minUpdateInterval")
                .atLeast(8, maxAckPending, "maxAckPending")
                .atLeast(1, maxWaiting, "maxWaiting")
                .require(
                        ackWait.compareTo(Duration.ofSeconds(1)) >= 0,
                        "must be at least 1s, or ordinary pauses bring messages again",
                        "ackWait")
                .atLeast(1, attempts, "attempts")
                .require(
                        !backoff.isEmpty() && backoff.stream().noneMatch(Duration::isNegative),
                        "must name at least one pause, as in [2s, 5s, 15s]",
                        "backoff")
                .require(
                        batch >= 1 && batch <= maxAckPending,
                        "must be between 1 and max_ack_pending (" + maxAckPending + "), is " + batch,
                        "batch",
                        "maxAckPending")
                .require(
                        batchBytes.isEmpty()
                                || batchBytes.get().bytes() > 0
                                        && batchBytes.get().bytes() <= LONGEST_BATCH_BYTES,
                        "must be more than 0 and at most 1GiB",
                        "batchBytes")
                .positive(discover, "discover")
                .atLeast(0, maxSingles, "maxSingles")
                .enforce();
    }

    static boolean isName(String text) {
        return text.matches("[^\\s.*>/\\\\\\p{Cntrl}]{1,255}");
    }

    /** How long a handler may take to finish when its partition moves: shorter than ack_wait. */
    public Duration handoffTimeout() {
        Duration half = ackWait.dividedBy(2);
        return half.compareTo(LONGEST_HANDOFF) < 0 ? half : LONGEST_HANDOFF;
    }

    /** The shortest inactive_threshold that does not delete the consumer of a worker that still owns its partitions. */
    Optional<String> problemWithLease(Duration lease) {
        Duration needed = lease.plus(handoffTimeout());
        return inactiveThreshold.compareTo(needed) > 0
                ? Optional.empty()
                : Optional.of(Durations.format(inactiveThreshold) + " must be longer than cluster.lease_ttl ("
                        + Durations.format(lease) + ") and a handoff (" + Durations.format(handoffTimeout())
                        + ") together, or the server deletes consumers of workers that live");
    }
}
