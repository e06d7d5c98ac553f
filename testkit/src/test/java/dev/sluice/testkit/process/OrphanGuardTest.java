package dev.sluice.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JVM between us and the sleeper dies; the sleeper has its own session, so only its guard can have ended it. */
class OrphanGuardTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"running", "paused"})
    void aKilledJvmLeavesNoOrphan(String state) {
        try (var jvm = start(state)) {
            long sleeper = sleeperOf(jvm);
            assertThat(RunningPids.isRunning(sleeper)).isTrue();
            jvm.kill9();
            RunningPids.awaitGone(sleeper, SOON);
        }
    }

    @Test
    void anOrderlyExitLeavesNoOrphan() {
        try (var jvm = start("exit")) {
            assertThat(jvm.awaitExit(SOON)).isZero();
            RunningPids.awaitGone(sleeperOf(jvm), SOON);
        }
    }

    private ChildProcess start(String state) {
        return ChildProcess.start(ProcessSpec.java("parent-of-sleeper", ParentOfSleeper.class.getName(), state)
                .withJvmOptions("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .in(dir));
    }

    private static long sleeperOf(ChildProcess jvm) {
        return Long.parseLong(jvm.awaitLine("sleeper (\\d+)", SOON).group(1));
    }
}
