package dev.sluice.outbox.relay;

import dev.sluice.model.FencingToken;
import dev.sluice.outbox.table.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** What happens in one partition, for counters, status and the log. Written by its loop, read by any thread. */
final class PartitionJournal {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionRelay.class);
    private static final int BREAKER_OPENS_AT = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Of one batch: thousands may fail alike. */
    private static final int MOST_LOGGED = 10;

    private final Ownership owner;
    private final RelayCounters counters;
    private final LongSupplier nanos;
    private final LongAdder sent;
    private final HotKeys hotKeys = new HotKeys();
    private volatile int failures;
    private volatile long sendingSince;
    private volatile boolean sending;
    private volatile String trouble = "";
    private volatile int batchRows;
    private volatile int parkedKeys;
    private volatile List<BlockedTopic> blockedTopics = List.of();
    private boolean opened;

    PartitionJournal(Ownership owner, RelayCounters counters, LongSupplier nanos) {
        this.owner = owner;
        this.counters = counters;
        this.nanos = nanos;
        this.sent = counters.sentOf(owner.partition());
    }

    /** Told once per claim: a sink that is away is opened anew for each attempt. */
    void opened() {
        LOG.atLevel(opened ? Level.DEBUG : Level.INFO)
                .log("partition {} is relayed under {}", owner.partition(), owner.token());
        opened = true;
    }

    void closed() {
        counters.troubles().forget(owner.partition());
    }

    void sending() {
        sendingSince = nanos.getAsLong();
        sending = true;
        counters.batches.increment();
    }

    void acknowledged(List<Row> rows, Instant now) {
        sending = false;
        failures = 0;
        rows.forEach(row -> counters.latency().record(ChronoUnit.MICROS.between(row.createdAt(), now)));
        hotKeys.sent(rows);
    }

    void settled(Settlement settlement) {
        sent.add(settlement.sent().size());
        counters.parked.add(settlement.parked().size());
        counters.dead.add(settlement.buried().size());
        settlement.buried().stream()
                .limit(MOST_LOGGED)
                .forEach(burial -> LOG.error(
                        "row {} of key {} is given up after {} attempts and stands among the dead rows: {}",
                        burial.row().id(),
                        burial.row().key(),
                        burial.attempts(),
                        burial.reason()));
        if (settlement.buried().size() > MOST_LOGGED) {
            LOG.error("so are {} more rows", settlement.buried().size() - MOST_LOGGED);
        }
        settlement.parked().stream()
                .limit(MOST_LOGGED)
                .forEach(parked -> LOG.warn(
                        "key {} waits: its row {} failed {} times, next attempt in {}: {}",
                        parked.key(),
                        parked.rowId(),
                        parked.attempts(),
                        parked.retryIn(),
                        parked.error()));
        if (settlement.parked().size() > MOST_LOGGED) {
            LOG.warn("so do {} more keys", settlement.parked().size() - MOST_LOGGED);
        }
        recovered();
    }

    /** Its database and its sink answer, or there is nothing to send. */
    void recovered() {
        failures = 0;
        trouble = "";
        counters.troubles().ended(owner.partition());
    }

    void blocked(String topic, String reason) {
        counters.topicsBlocked.increment();
        LOG.warn(
                "partition {}: topic {} takes nothing, its rows wait until it does and others go on: {}",
                owner.partition(),
                topic,
                reason);
    }

    void freed(String topic) {
        LOG.info("partition {}: topic {} takes rows again", owner.partition(), topic);
    }

    void sinkFailed(SinkUnavailableException failed) {
        sending = false;
        failures++;
        if (!failed.isInUse()) {
            counters.sinkFailures.increment();
        }
        if (failed.isFenced()) {
            counters.fenced.increment();
        }
        tell("nothing is sent", failed);
    }

    void databaseFailed(RuntimeException failed) {
        sending = false;
        counters.databaseFailures.increment();
        tell("the database is not available", failed);
    }

    /** The breaker opens by it: whatever it is, nothing is sent. */
    void bug(Throwable bug) {
        sending = false;
        failures++;
        trouble = "it met a bug: " + bug;
    }

    void fenced(String why) {
        sending = false;
        counters.fenced.increment();
        LOG.warn("partition {} under {} belongs to another relay now: {}", owner.partition(), owner.token(), why);
        trouble = why;
    }

    /** Once per trouble, not once per attempt. */
    private void tell(String what, Exception failed) {
        String now = what + ": " + failed.getMessage();
        if (trouble.isEmpty()) {
            counters.troubles().began(owner.partition(), now);
        }
        trouble = now;
    }

    void waits(int rows, int parked, List<BlockedTopic> topics) {
        batchRows = rows;
        parkedKeys = parked;
        blockedTopics = topics;
    }

    List<HotKeys.Hot> hottest() {
        return hotKeys.hottest();
    }

    PartitionStatus status() {
        FencingToken token = owner.token();
        Duration waiting = sending ? Duration.ofNanos(nanos.getAsLong() - sendingSince) : Duration.ZERO;
        return new PartitionStatus(
                owner.partition(),
                token,
                breaker(waiting),
                waiting,
                sent.sum(),
                batchRows,
                parkedKeys,
                blockedTopics,
                trouble);
    }

    private PartitionStatus.Breaker breaker(Duration waiting) {
        if (waiting.compareTo(PATIENCE) > 0) {
            return PartitionStatus.Breaker.OPEN;
        }
        if (failures < BREAKER_OPENS_AT) {
            return PartitionStatus.Breaker.CLOSED;
        }
        return sending ? PartitionStatus.Breaker.HALF_OPEN : PartitionStatus.Breaker.OPEN;
    }
}
