package dev.sluice.worker.consume;

import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.stream.ConsumerSpec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The one place where consumers of a worker are specified. Every specification has a name never used before: a late
 * acknowledgement of an earlier consumer must not count for a later one.
 */
public final class ConsumerSpecs {
    /** How much of a life's name stands in the names of its consumers. */
    private static final int INCARNATION_LENGTH = 12;

    /** Prefix, worker, life, number. The prefix may contain dashes, the other parts do not. */
    private static final Pattern NAME = Pattern.compile("(.+)-w\\d+-([A-Za-z0-9]{1,12})-\\d+");

    private static final Duration SHADOW_INACTIVE = Duration.ofMinutes(1);

    private final String prefix;
    private final String worker;
    private final String incarnation;
    private final StreamKind kind;
    private final WorkerSettings settings;
    private final AtomicLong created = new AtomicLong();

    public ConsumerSpecs(String prefix, String worker, String incarnation, StreamKind kind, WorkerSettings settings) {
        this.prefix = prefix;
        this.worker = worker;
        this.incarnation = shortened(incarnation);
        this.kind = kind;
        this.settings = settings;
    }

    static String shortened(String incarnation) {
        String plain = incarnation.replaceAll("[^A-Za-z0-9]", "");
        return plain.substring(0, Math.min(INCARNATION_LENGTH, plain.length()));
    }

    /** The life of a worker that a consumer belongs to, shortened; empty when the name is not one of ours. */
    static String incarnationOf(String prefix, String consumer) {
        Matcher named = NAME.matcher(consumer);
        return named.matches() && named.group(1).equals(prefix) ? named.group(2) : "";
    }

    /** Differs from life to life, and is the same in every replay of a simulation. */
    int jitterSeed() {
        return incarnation.hashCode();
    }

    private String name() {
        return prefix + '-' + worker + '-' + incarnation + '-' + created.incrementAndGet();
    }

    /** The worker's durable consumer. */
    ConsumerSpec durable(List<String> filters, long startSequence) {
        return spec(filters, startSequence, true, false);
    }

    /** A consumer that brings partitions up to date, or feeds one of them for good. */
    ConsumerSpec catchUp(List<String> filters, long startSequence) {
        boolean limits = kind == StreamKind.LIMITS;
        return spec(filters, startSequence, !limits, limits);
    }

    /** A consumer whose deliveries are only counted, on a limits stream. The server deletes it soon when its worker is gone. */
    ConsumerSpec shadow(List<String> filters, long startSequence) {
        return new ConsumerSpec(
                name(),
                filters,
                startSequence,
                false,
                settings.ackWait(),
                settings.maxAckPending(),
                settings.maxWaiting(),
                SHADOW_INACTIVE,
                true);
    }

    private ConsumerSpec spec(List<String> filters, long startSequence, boolean explicitAck, boolean inMemory) {
        return new ConsumerSpec(
                name(),
                filters,
                kind == StreamKind.WORK_QUEUE ? 0 : startSequence,
                explicitAck,
                settings.ackWait(),
                settings.maxAckPending(),
                settings.maxWaiting(),
                kind == StreamKind.INTEREST ? null : settings.inactiveThreshold(),
                inMemory);
    }
}
