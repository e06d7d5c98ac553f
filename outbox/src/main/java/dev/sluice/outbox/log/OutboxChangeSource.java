package dev.sluice.outbox.log;

import dev.sluice.capture.ChangeCursor;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.capture.StartPoint;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.jdbc.JdbcCoordinationStore;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.FencingToken;
import dev.sluice.outbox.relay.WakeUps;
import dev.sluice.outbox.table.Keeping;
import dev.sluice.outbox.table.OutboxTable;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An outbox table as a backend of the Puller. Every start point means the same, what is in the table: a row that is there was
 * taken by nobody, one that is gone never comes back. What was taken by somebody else meanwhile, or by a log that is lost, is
 * said to be lost history ({@link Taken}); it is never passed over.
 *
 * <p>One Puller at a time reads; the others wait in {@link #open} and say so. The DataSource is the caller's, who closes it
 * afterwards; eight connections are enough.
 */
public final class OutboxChangeSource implements ChangeSource {
    private static final Duration WAIT_FOR_CLAIM = Duration.ofMillis(500);
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
    /** Two calls may fail and the third still renews the lease in time. */
    private static final int TIMEOUTS_PER_LEASE = 8;

    private final DataSource source;
    private final OutboxSourceSettings settings;
    private final Loops loops;
    private final OutboxTable table;
    private final WakeUp wakeUp = new WakeUp();
    /** The highest place that a log asked for, also in vain: if it begins anew, then behind that. */
    private ClusterTime asked = ClusterTime.ZERO;

    private @Nullable Membership membership;
    private boolean closed;

    /** What exists once the database was reached. */
    private record Membership(JdbcCoordinationStore store, Relays relays, SoleReader reader, WakeUps wakeUps) {}

    /** @param loops of this process, whose failures its health report reads */
    public OutboxChangeSource(DataSource source, OutboxSourceSettings settings, Loops loops) {
        this.source = source;
        this.settings = settings;
        this.loops = loops;
        this.table = new OutboxTable(source, Keeping.DELETE);
    }

    @Override
    public ChangeCursor open(StartPoint from) throws SourceException {
        return OutboxFailures.named(() -> {
            Membership joined = join();
            refuseBesideRelays(joined.relays);
            Claim claim = joined.reader
                    .await(WAIT_FOR_CLAIM)
                    .orElseThrow(
                            () -> new SourceException(new SourceFailure.ReadElsewhere(joined.reader.waitingFor())));
            FencingToken token = joined.relays.token(claim.token().epoch());
            table.claim(Relays.READER, token);
            return open(from, claim, token, joined.relays, new MessageEvents(settings.tenant(), table.identity()));
        });
    }

    private ChangeCursor open(StartPoint from, Claim claim, FencingToken token, Relays relays, MessageEvents events)
            throws SourceException {
        String trace = relays.trace();
        Optional<Taken> known = Taken.parse(claim.position());
        DatabaseWatch watch = new DatabaseWatch(table, relays, trace, System::nanoTime);
        long second = watch.now().getEpochSecond();
        LogPlace place;
        EventTimes times;
        switch (from) {
            case StartPoint.After behind -> {
                place = placeOf(behind.checkpoint());
                asked = later(asked, behind.checkpoint().time());
                Optional<String> missing = Taken.missing(place, known, trace);
                if (missing.isPresent()) {
                    throw new SourceException(new SourceFailure.HistoryLost(missing.get()));
                }
                times = new EventTimes(behind.checkpoint().time());
            }
            case StartPoint.At at -> {
                place = newLog();
                asked = later(asked, at.time());
                times = new EventTimes(beyond(later(asked, takenThrough(known)), second));
            }
            case StartPoint.Now now -> {
                place = newLog();
                times = new EventTimes(beyond(later(asked, takenThrough(known)), second));
            }
        }
        long saved = known.filter(taken -> taken.log().equals(place.log()))
                .map(Taken::batch)
                .orElse(-1L);
        if (saved < 0 && !claim.save(new Taken(place.log(), place.batch(), times.last(), trace).text())) {
            throw new SourceException(
                    new SourceFailure.ReadElsewhere("the claim was lost while the outbox was opened"));
        }
        return new OutboxCursor(
                table, claim, token, watch, wakeUp, settings, events, times, place, Math.max(saved, place.batch() - 1));
    }

    /** A new log begins after everything that any other has: nobody's place in one is mistaken for a place in the other. */
    private static ClusterTime beyond(ClusterTime known, long second) {
        return ClusterTime.of(Math.max(known.t() + 1, second), 0);
    }

    private static ClusterTime takenThrough(Optional<Taken> known) {
        return known.map(Taken::time).orElse(ClusterTime.ZERO);
    }

    private static ClusterTime later(ClusterTime one, ClusterTime other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static LogPlace newLog() {
        return new LogPlace(UUID.randomUUID().toString(), 0, List.of());
    }

    private static LogPlace placeOf(Checkpoint checkpoint) throws SourceException {
        return LogPlace.of(checkpoint)
                .orElseThrow(() -> new SourceException(
                        new SourceFailure.BadToken("the event log of this backend was not filled from an outbox")));
    }

    private static void refuseBesideRelays(Relays relays) throws SourceException {
        String live = relays.live();
        if (!live.isEmpty()) {
            throw new SourceException(new SourceFailure.Misconfigured("a relay of outbox " + live
                    + " runs on this table, and each row has one reader: stop the relay, or remove the backend from the"
                    + " Puller"));
        }
    }

    private synchronized Membership join() {
        if (closed) {
            throw new IllegalStateException("this change source is closed");
        }
        Membership joined = membership;
        if (joined == null) {
            JdbcCoordinationStore store = new JdbcCoordinationStore(
                    source, timeout(settings.lease()), JdbcCoordinationStore.DEFAULT_WATCH_INTERVAL, loops);
            try {
                createTablesUnlessThere(store);
                joined = new Membership(
                        store,
                        new Relays(table, store),
                        new SoleReader(store, settings.node(), settings.lease()),
                        WakeUps.start(source, wakeUp::raise));
                membership = joined;
            } catch (RuntimeException failed) {
                store.close();
                throw failed;
            }
        }
        return joined;
    }

    /** Whoever may not create tables can have had them created. */
    private void createTablesUnlessThere(JdbcCoordinationStore store) {
        try {
            store.leases("outbox-log/");
            store.list("outbox-log/");
        } catch (StoreUnavailableException notThere) {
            JdbcCoordinationStore.createTables(source);
        }
    }

    private static Duration timeout(Duration lease) {
        Duration part = lease.dividedBy(TIMEOUTS_PER_LEASE);
        return part.compareTo(LONGEST_TIMEOUT) > 0
                ? LONGEST_TIMEOUT
                : part.compareTo(SHORTEST_TIMEOUT) < 0 ? SHORTEST_TIMEOUT : part;
    }

    /** Unknown: what is gone from the table is gone. */
    @Override
    public ClusterTime oldest() {
        return ClusterTime.ZERO;
    }

    @Override
    public void wake() {
        wakeUp.raise();
    }

    @Override
    public void stopWaiting() {
        wakeUp.end();
    }

    @Override
    public synchronized void close() {
        closed = true;
        Membership joined = membership;
        membership = null;
        if (joined != null) {
            joined.wakeUps.close();
            joined.reader.close();
            joined.store.close();
        }
    }
}
