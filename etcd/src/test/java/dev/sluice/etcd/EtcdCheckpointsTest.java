package dev.sluice.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.capture.CaptureLoop;
import dev.sluice.capture.CaptureRunner;
import dev.sluice.capture.CaptureSettings;
import dev.sluice.capture.CheckpointMirror;
import dev.sluice.capture.CheckpointPolicy;
import dev.sluice.capture.GroupCommitAppender;
import dev.sluice.capture.MemoryChangeSource;
import dev.sluice.checkpoint.CheckpointException;
import dev.sluice.checkpoint.CheckpointStore;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.InMemoryEventLog;
import dev.sluice.run.Loops;
import dev.sluice.testkit.contract.CheckpointStoreContract;
import dev.sluice.testkit.servers.EtcdServer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EtcdCheckpointsTest extends CheckpointStoreContract {
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final String prefix = "/checkpoints-test-" + TESTS.incrementAndGet() + "/";

    @Override
    protected CheckpointStore open() {
        return at(EtcdServer.shared().url(), Duration.ofSeconds(10));
    }

    @Override
    protected CheckpointStore reopen() {
        return open();
    }

    private CheckpointStore at(String url, Duration timeout) {
        return new EtcdCheckpoints(EtcdAccess.to(url), prefix, timeout);
    }

    @Test
    void anEtcdThatIsAwayIsSaidToBeAway() {
        try (CheckpointStore away = at("http://127.0.0.1:1", Duration.ofMillis(300))) {
            assertThatThrownBy(() -> away.load("main"))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessageContaining("endpoints");
        }
    }

    @Test
    void captureGoesOnWhileTheMirrorIsAway() throws Exception {
        MemoryChangeSource source = new MemoryChangeSource(Duration.ofMillis(50));
        InMemoryEventLog log = new InMemoryEventLog();
        Semaphore stored = new Semaphore(0);
        Loops loops = new Loops();
        try (CheckpointStore away = at("http://127.0.0.1:1", Duration.ofMillis(100));
                GroupCommitAppender appender = new GroupCommitAppender(() -> new GroupCommit(
                                log,
                                GroupCommitLimits.of(100, 1000),
                                FreeSpace.UNLIMITED,
                                appended -> stored.release(appended.entries().size() + 1))
                        .start(loops, "commit"))) {
            CaptureLoop loop = new CaptureLoop(
                    CaptureSettings.of("main"),
                    source,
                    log,
                    appender,
                    null,
                    InstantSource.system(),
                    System::nanoTime,
                    new Random(1));
            CheckpointMirror mirror = new CheckpointMirror(
                    away, new CheckpointPolicy(Duration.ofMillis(1), 1), log::state, loop.state(), System::nanoTime);
            try (CaptureRunner runner = CaptureRunner.start(loops, loop, mirror)) {
                assertThat(stored.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
                source.commit("orders", "a");
                assertThat(stored.tryAcquire(2, 10, TimeUnit.SECONDS)).isTrue();
                while (runner.state().counters().checkpointErrors() == 0) {
                    Thread.onSpinWait();
                }
            }
            assertThat(log.state().events()).isOne();
            assertThat(loop.state().counters().checkpointErrors()).isPositive();
        }
    }
}
