package dev.sluice.bench;

import dev.sluice.capture.CaptureLoop;
import dev.sluice.capture.CaptureSettings;
import dev.sluice.capture.GroupCommitAppender;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.LiveTail;
import dev.sluice.mongodb.MongoChangeSource;
import dev.sluice.mongodb.MongoSourceSettings;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.run.Loops;
import java.time.InstantSource;
import java.util.Random;

/**
 * The whole way of an event: read, normalised, queued, committed with its token, published to the live tail. Counted is
 * what is in the log behind the first batch: the start-up is not, as with the peer.
 */
record SluiceCapture(LoadedMongo mongo, int batch, int events) implements Contender {
    @Override
    public String name() {
        return "Sluice capture";
    }

    @Override
    public Sample round() throws Exception {
        MongoSourceSettings settings =
                MongoSourceSettings.of(mongo.connection(), LoadedMongo.DATABASE).withBatchSize(batch);
        try (ScratchDirectory directory = new ScratchDirectory();
                RocksEventLog log = new RocksEventLog(directory.path(), "bench", RocksSettings.DEFAULT);
                MongoChangeSource source = new MongoChangeSource(settings)) {
            LiveTail tail = new LiveTail(log.state().head().position(), 10_000, 32 << 20);
            FreeSpace space = FreeSpace.of(directory.path(), 1 << 20);
            GroupCommitLimits limits = GroupCommitLimits.of(batch, 4 * batch);
            try (GroupCommitAppender appender = new GroupCommitAppender(
                            () -> new GroupCommit(log, limits, space, tail::publish).start(new Loops(), "log-writer"));
                    CaptureLoop loop = loop(source, log, appender)) {
                while (log.state().events() == 0) {
                    loop.step();
                    appender.flush();
                }
                long first = log.state().events();
                Stopwatch watch = Stopwatch.start();
                while (loop.state().counters().eventsIngested() < events) {
                    loop.step();
                }
                appender.flush();
                Sample sample = watch.stop(log.state().events() - first);
                if (log.state().events() < events) {
                    throw new IllegalStateException("only " + log.state().events() + " events were stored");
                }
                return sample;
            }
        }
    }

    static CaptureLoop loop(MongoChangeSource source, RocksEventLog log, GroupCommitAppender appender) {
        return new CaptureLoop(
                CaptureSettings.of("bench").withStart(CaptureSettings.Start.EARLIEST),
                source,
                log,
                appender,
                null,
                InstantSource.system(),
                System::nanoTime,
                new Random());
    }
}
