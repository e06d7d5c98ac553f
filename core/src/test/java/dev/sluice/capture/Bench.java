package dev.sluice.capture;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.log.EventLogException;
import dev.sluice.log.EventRecord;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.log.LogRead;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.model.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A capture loop on a memory source and a memory log, with a clock that tests move. */
final class Bench {
    final MemoryChangeSource source = new MemoryChangeSource();
    final InMemoryEventLog log = new InMemoryEventLog();
    final DirectAppender appender = new DirectAppender();
    CaptureSettings settings = CaptureSettings.of("orders_db");

    @Nullable
    CheckpointStore mirror;

    CaptureLoop loop = newLoop();
    private long elapsed;

    private CaptureLoop newLoop() {
        return new CaptureLoop(
                settings,
                source,
                log,
                appender,
                mirror,
                () -> Instant.ofEpochSecond(1000).plusNanos(elapsed),
                () -> Long.MAX_VALUE - 5 + elapsed,
                new Random(7));
    }

    /** As after a restart of the process: everything in memory is gone, the log stays. */
    Bench restart() {
        loop = newLoop();
        return this;
    }

    Bench with(CaptureSettings settings) {
        this.settings = settings;
        return restart();
    }

    Bench with(CheckpointStore mirror) {
        this.mirror = mirror;
        return restart();
    }

    /** Steps until nothing more comes. */
    Bench settle() {
        return steps(20);
    }

    /** As after a {@code kill -9} in the middle of a batch: so many of its events are in the log, its position is not. */
    Bench killedAfter(int events) {
        appender.dieAfter(events);
        try {
            for (int k = 0; k < 20; k++) {
                loop.step();
            }
            throw new AssertionError("nothing was written");
        } catch (InterruptedException killed) {
            return restart();
        }
    }

    Bench steps(int count) {
        for (int k = 0; k < count; k++) {
            step();
        }
        return this;
    }

    Duration step() {
        try {
            return loop.step();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Bench pass(Duration time) {
        elapsed += time.toNanos();
        return this;
    }

    CaptureCounters counters() {
        return loop.state().counters();
    }

    CaptureStatus status() {
        return loop.state().status();
    }

    List<EventRecord> logged() {
        return log.read(log.state().evictedThrough().position(), Integer.MAX_VALUE, Long.MAX_VALUE)
                        instanceof LogRead.Entries entries
                ? entries.entries().stream().map(entry -> entry.event()).toList()
                : List.of();
    }

    List<String> documents() {
        return logged().stream()
                .filter(event -> event.operation().isData())
                .map(event -> event.documentId().text())
                .toList();
    }

    List<Operation> operations() {
        return logged().stream().map(EventRecord::operation).toList();
    }

    /** Appends at once, in the caller's thread, and can be made to fail. */
    final class DirectAppender implements LogAppender {
        private @Nullable EventLogException failure;
        private @Nullable Error error;
        private boolean interrupted;
        private int diesAfter = Integer.MAX_VALUE;

        /** The process ends when so many events of the next hand-over are stored, their checkpoint not. */
        void dieAfter(int events) {
            diesAfter = events;
        }

        /** The next hand-over of events is interrupted, as when a shutdown finds the queue full. */
        void interruptNext() {
            interrupted = true;
        }

        /** The next hand-over of events throws this. */
        void failNext(Error thrown) {
            error = thrown;
        }

        int checkpointsWithoutEvents;

        void failNow() {
            failure = new LogUnavailableException("the disk is away", null);
        }

        @Override
        public void submit(List<EventRecord> records, @Nullable Checkpoint checkpoint) throws InterruptedException {
            if (interrupted && !records.isEmpty()) {
                interrupted = false;
                throw new InterruptedException("stopped while the queue was full");
            }
            Error thrown = error;
            if (thrown != null && !records.isEmpty()) {
                error = null;
                throw thrown;
            }
            if (failure != null) {
                throw failure;
            }
            if (records.size() > diesAfter) {
                log.append(records.subList(0, diesAfter), null);
                diesAfter = Integer.MAX_VALUE;
                throw new InterruptedException("killed");
            }
            log.append(records, checkpoint);
            checkpointsWithoutEvents += records.isEmpty() && checkpoint != null ? 1 : 0;
        }

        @Override
        public @Nullable EventLogException failure() {
            return failure;
        }

        @Override
        public boolean flush() {
            return true;
        }

        @Override
        public void reset() {
            failure = null;
        }
    }
}
