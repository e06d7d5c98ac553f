package dev.sluice.outbox.log;

import dev.sluice.capture.CaptureLoop;
import dev.sluice.capture.CaptureSettings;
import dev.sluice.capture.CaptureState;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.LogAppender;
import dev.sluice.capture.TenantRule;
import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LogRead;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One Puller's capture of an outbox into a log in memory, stepped by hand. */
final class LogRig implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(8);
    private static final Duration SOON = Duration.ofSeconds(20);

    final InMemoryEventLog log;
    private final ChangeSource source;
    final Loops loops = new Loops();
    private final CaptureLoop loop;

    LogRig(DataSource database) {
        this(database, new InMemoryEventLog());
    }

    LogRig(DataSource database, InMemoryEventLog log) {
        this(database, log, source -> source, () -> {});
    }

    /** @param beforeAppend runs when a batch is about to be stored; what it throws is the end of this process */
    LogRig(DataSource database, InMemoryEventLog log, UnaryOperator<ChangeSource> meddling, Runnable beforeAppend) {
        this(database, log, meddling, beforeAppend, new TenantRule.None());
    }

    LogRig(
            DataSource database,
            InMemoryEventLog log,
            UnaryOperator<ChangeSource> meddling,
            Runnable beforeAppend,
            TenantRule tenant) {
        this.log = log;
        this.source = meddling.apply(new OutboxChangeSource(
                database, new OutboxSourceSettings(UUID.randomUUID().toString(), LEASE, 100, tenant), loops));
        this.loop = new CaptureLoop(
                CaptureSettings.of("shop"),
                source,
                log,
                new Direct(beforeAppend),
                null,
                InstantSource.system(),
                System::nanoTime,
                new SplittableRandom(7));
    }

    CaptureState state() {
        return loop.state();
    }

    void step() {
        try {
            loop.step();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    LogRig until(BooleanSupplier reached) {
        long end = System.nanoTime() + SOON.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "not within " + SOON + ": " + state().status() + ", " + state().reason() + ", " + keys());
            }
            step();
        }
        return this;
    }

    LogRig untilEvents(int count) {
        return until(() -> log.state().events() >= count);
    }

    List<EventRecord> events() {
        return log.read(log.state().evictedThrough().position(), Integer.MAX_VALUE, Long.MAX_VALUE)
                        instanceof LogRead.Entries entries
                ? entries.entries().stream().map(entry -> entry.event()).toList()
                : List.of();
    }

    /** Keys in the order of the log; a control event by its operation. */
    List<String> keys() {
        return events().stream()
                .map(event -> event.operation().isData()
                        ? event.documentId().text()
                        : event.operation().text())
                .toList();
    }

    /** Ends as a process that is stopped in good order. */
    @Override
    public void close() {
        loop.close();
        source.close();
    }

    private final class Direct implements LogAppender {
        private final Runnable before;

        Direct(Runnable before) {
            this.before = before;
        }

        @Override
        public void submit(List<EventRecord> records, @Nullable Checkpoint checkpoint) {
            if (!records.isEmpty()) {
                before.run();
            }
            log.append(records, checkpoint);
        }

        @Override
        public @Nullable EventLogException failure() {
            return null;
        }

        @Override
        public boolean flush() {
            return true;
        }

        @Override
        public void reset() {}
    }
}
