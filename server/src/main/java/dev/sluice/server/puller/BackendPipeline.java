package dev.sluice.server.puller;

import dev.sluice.capture.CaptureLoop;
import dev.sluice.capture.CaptureRunner;
import dev.sluice.capture.CaptureState;
import dev.sluice.capture.ChangeSource;
import dev.sluice.capture.CheckpointMirror;
import dev.sluice.capture.GroupCommitAppender;
import dev.sluice.capture.OwnCheckpoints;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.log.EventLog;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogReader;
import dev.sluice.log.LogState;
import dev.sluice.log.Retention;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import dev.sluice.server.Opened;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One backend, from its change stream to what consumers read: source → capture → group commit → log → tail, with the
 * retention of that log. Nothing is shared with other backends, so none can stop another.
 */
public final class BackendPipeline implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.puller");
    private static final int TAIL_EVENTS = 65_536;
    private static final long TAIL_BYTES = 32L << 20;

    private final BackendSettings settings;
    private final Retention retention;
    private final ChangeSource source;
    private final @Nullable CheckpointStore mirror;
    private final GroupCommitAppender appender;
    private final CaptureLoop capture;
    private final EventLog log;
    private final LogReader reader;
    private @Nullable CaptureRunner running;
    private final Loops loops;
    private @Nullable Loop cleaner;

    private BackendPipeline(BackendSettings settings, EventLog log, PullerMeters meters, Loops loops, Opened opened) {
        this.settings = settings;
        this.loops = loops;
        this.log = log;
        var commits = meters.ofCommits(settings.name());
        var tail = new LiveTail(log.state().head().position(), TAIL_EVENTS, TAIL_BYTES);
        var space = FreeSpace.of(settings.directory(), settings.minFree());
        this.retention = new Retention(log, settings.retention());
        this.source = opened.add(settings.source().apply(loops));
        this.mirror = settings.lazyMirror()
                .map(store -> meters.measured(new OwnCheckpoints(
                        opened.add(store),
                        settings.puller(),
                        source,
                        () -> log.state().checkpoint() == null)))
                .orElse(null);
        this.appender = opened.add(new GroupCommitAppender(
                () -> new GroupCommit(meters.measured(settings.name(), log), settings.commit(), space, appended -> {
                            tail.publish(appended);
                            commits.committed(appended);
                        })
                        .start(loops, "log-write-" + settings.name())));
        this.capture = new CaptureLoop(
                settings.capture(),
                source,
                log,
                appender,
                mirror,
                InstantSource.system(),
                System::nanoTime,
                new SplittableRandom());
        this.reader = settings.messages() ? LogReader.ofMessages(log, tail) : new LogReader(log, tail);
    }

    /** Opens the log; captures nothing yet. */
    static BackendPipeline open(BackendSettings settings, PullerMeters meters, Loops loops) {
        try (var opened = new Opened()) {
            var log = opened.add(new RocksEventLog(settings.path(), settings.name(), RocksSettings.DEFAULT));
            var pipeline = new BackendPipeline(settings, log, meters, loops, opened);
            opened.keep();
            return pipeline;
        }
    }

    /** Begins to capture and to clean. */
    void start() {
        running = CaptureRunner.start(loops, capture, mirror == null ? null : mirrorOf(mirror));
        cleaner = new LogCleaner(
                        settings.name(), retention, settings.retention().interval(), InstantSource.system())
                .start(loops);
    }

    private CheckpointMirror mirrorOf(CheckpointStore store) {
        return new CheckpointMirror(
                store, settings.capture().checkpoints(), log::state, capture.state(), System::nanoTime);
    }

    public String name() {
        return settings.name();
    }

    public LogReader reader() {
        return reader;
    }

    /** How capture stands. */
    public CaptureState capture() {
        return capture.state();
    }

    public LogState log() {
        return log.state();
    }

    public Retention retention() {
        return retention;
    }

    /** How writing to the log stands: capture waits behind it when the disk is full. */
    public GroupCommit.Status writing() {
        return appender.current().status();
    }

    /** Events read from the source that wait for their commit. */
    public int queued() {
        return appender.current().queued();
    }

    /** Ends the pause before the next look at a source that is polled. */
    void wake() {
        source.wake();
    }

    /**
     * Ends the change streams, flushes what was read, saves the last positions, here and in the mirrors. All are asked before
     * any is waited for. No loop may begin a step once its source waits for nothing any more: an outbox would be asked without
     * a pause.
     */
    static void stopCapture(List<BackendPipeline> backends) {
        backends.forEach(BackendPipeline::askToStop);
        backends.forEach(backend -> backend.source.stopWaiting());
        backends.forEach(BackendPipeline::awaitCapture);
    }

    private void askToStop() {
        if (running != null) {
            running.askToStop();
        }
    }

    private void awaitCapture() {
        if (running != null) {
            running.close();
        }
    }

    @Override
    public void close() {
        stopCapture(List.of(this));
        if (cleaner != null) {
            cleaner.close();
        }
        appender.close();
        source.close();
        if (mirror != null) {
            mirror.close();
        }
        if (appender.isWriting() || (cleaner != null && !cleaner.isOver())) {
            LOG.atError()
                    .addKeyValue("backend", settings.name())
                    .log("a write to the event log does not end: the log is left open; it recovers at the next start");
        } else {
            log.close();
        }
    }
}
