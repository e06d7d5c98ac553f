package dev.sluice.outbox.log;

import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.SourceBatch;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.coordinate.Claim;
import dev.sluice.log.EventRecord;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.Burial;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.outbox.table.Row;
import dev.sluice.outbox.table.Slice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the rows that are there, lowest id first, however late they were committed. A batch's rows stay in the table until the
 * log has the batch on disk; only then they are deleted, and only then the next are read. So what is on disk and what is in the
 * table overlap in one batch at most, whose rows the log's own position names.
 */
final class OutboxCursor implements ChangeCursor {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxCursor.class);
    /** Half of what one commit of the log takes. */
    private static final long MOST_BYTES = 8L << 20;

    private final OutboxTable table;
    private final Claim claim;
    private final FencingToken token;
    private final DatabaseWatch watch;
    private final WakeUp wakeUp;
    private final MessageEvents events;
    private final EventTimes times;
    private final int limit;
    private final OutboxSourceSettings.Pauses pauses;

    private LogPlace place;
    private long saved;
    private boolean opening = true;
    private Duration pause = Duration.ZERO;

    OutboxCursor(
            OutboxTable table,
            Claim claim,
            FencingToken token,
            DatabaseWatch watch,
            WakeUp wakeUp,
            OutboxSourceSettings settings,
            MessageEvents events,
            EventTimes times,
            LogPlace place,
            long saved) {
        this.table = table;
        this.claim = claim;
        this.token = token;
        this.watch = watch;
        this.wakeUp = wakeUp;
        this.events = events;
        this.limit = settings.batch();
        this.pauses = settings.pauses();
        this.times = times;
        this.place = place.withoutIds();
        this.saved = saved;
    }

    @Override
    public SourceBatch next() throws SourceException {
        return OutboxFailures.named(() -> {
            if (opening) {
                opening = false;
                return quiet(watch.now());
            }
            if (!place.ids().isEmpty()) {
                throw new IllegalStateException("an outbox is not read on before its last batch is durable");
            }
            wakeUp.await(pause);
            return read();
        });
    }

    private SourceBatch read() throws SourceException {
        requireClaim();
        Instant now = watch.now();
        List<Row> rows = table.fetch(Slice.all(), limit, List.of());
        pause = rows.size() == limit
                ? Duration.ZERO
                : rows.isEmpty() && pause.isPositive() ? pauses.after(pause) : pauses.first();
        if (rows.isEmpty()) {
            return quiet(now);
        }
        List<EventRecord> batch = new ArrayList<>(rows.size());
        List<Long> ids = new ArrayList<>(rows.size());
        long bytes = 0;
        for (Row row : rows) {
            if (bytes >= MOST_BYTES) {
                pause = Duration.ZERO;
                break;
            }
            try {
                EventRecord event = events.of(row, times.ofRow(now.getEpochSecond(), row.id()));
                batch.add(event);
                ids.add(row.id());
                bytes += event.size();
            } catch (InvalidInputException never) {
                bury(row, String.valueOf(never.getMessage()));
            }
        }
        if (batch.isEmpty()) {
            return quiet(now);
        }
        place = place.next(ids);
        long through = pause.isZero() ? batch.getLast().timestamp() : now.toEpochMilli();
        return new SourceBatch(batch, place.at(times.last()), through, SourceBatch.OPEN);
    }

    private SourceBatch quiet(Instant now) {
        ClusterTime time = times.ofQuiet(now.getEpochSecond());
        return new SourceBatch(List.of(), place.at(time), now.toEpochMilli(), SourceBatch.OPEN);
    }

    private void bury(Row row, String reason) throws SourceException {
        LOG.atWarn()
                .addKeyValue("row", row.id())
                .addKeyValue("topic", row.topic())
                .addKeyValue("reason", reason)
                .log("a message of the outbox can be no event: it is kept in outbox_dead");
        if (!table.bury(Relays.READER, token, List.of(new Burial(row, reason, 1, false)))) {
            throw taken();
        }
    }

    @Override
    public boolean forgets() {
        return true;
    }

    /** First it is said in the database who has these rows, then they are deleted: whoever misses them can know it. */
    @Override
    public void durable(Checkpoint reached) throws SourceException {
        OutboxFailures.named(() -> {
            LogPlace stored = LogPlace.of(reached).orElse(new LogPlace("", 0, List.of()));
            if (!stored.ids().isEmpty()) {
                if (stored.log().equals(place.log()) && stored.batch() > saved) {
                    save(stored.batch());
                }
                if (!table.finish(Relays.READER, token, stored.ids())) {
                    throw taken();
                }
            }
            if (stored.log().equals(place.log()) && stored.batch() == place.batch()) {
                place = place.withoutIds();
            }
            return true;
        });
    }

    private void save(long batch) throws SourceException {
        if (!claim.save(new Taken(place.log(), batch, times.last(), watch.trace()).text())) {
            throw taken();
        }
        saved = batch;
    }

    private void requireClaim() throws SourceException {
        if (!claim.isHeld()) {
            throw taken();
        }
    }

    private static SourceException taken() {
        return new SourceException(
                new SourceFailure.ReadElsewhere("the claim on the outbox was lost: another Puller may read it now"));
    }

    @Override
    public void close() {}
}
