package dev.sluice.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration BRIEFLY = Duration.ofMillis(200);

    @Test
    void findsTheLineItWaitsForAndGivesItsGroups() {
        try (var child = shell("echo starting; echo 'listening on port 4711'; sleep 60")) {
            assertThat(child.awaitLine("port (\\d+)", SOON).group(1)).isEqualTo("4711");
        }
    }

    @Test
    void aLineThatNeverComesFailsWithTheEndOfTheLog() {
        try (var child = shell("echo something else; echo to stderr >&2; sleep 60")) {
            child.awaitLine("something", SOON);
            assertThatThrownBy(() -> child.awaitLine("ready", BRIEFLY))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("/ready/")
                    .hasMessageContaining("something else");
            assertThat(child.log()).content().contains("to stderr");
        }
    }

    @Test
    void aProcessThatEndsTooEarlyFailsAtOnceWithItsExitCode() {
        try (var child = shell("echo no config; exit 3")) {
            assertThatThrownBy(() -> child.awaitLine("ready", Duration.ofMinutes(5)))
                    .hasMessageContaining("exit code 3")
                    .hasMessageContaining("no config");
        }
    }

    @Test
    void aCommandThatDoesNotExistIsNamedInTheFailure() {
        try (var child = ChildProcess.start(ProcessSpec.of("missing", "no-such-command-anywhere"))) {
            assertThatThrownBy(() -> child.awaitLine("ready", SOON)).hasMessageContaining("no-such-command-anywhere");
        }
    }

    @Test
    void killGivesNoChanceButTermDoes() {
        String onTerm = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.02; done";
        try (var child = shell(onTerm)) {
            child.awaitLine("ready", SOON);
            assertThat(child.terminate(SOON)).isEqualTo(7);
            child.awaitLine("bye", SOON);

            child.restart();
            child.awaitLine("ready", SOON);
            child.kill9();
            assertThat(child.isAlive()).isFalse();
            assertThat(child.awaitExit(SOON)).isEqualTo(128 + 9);
            assertThatThrownBy(() -> child.awaitLine("bye", BRIEFLY)).isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void aRestartRunsTheSameCommandAndOldLinesDoNotCount(@TempDir Path dir) {
        var spec = ProcessSpec.of(
                        "restart",
                        "sh",
                        "-c",
                        "if [ -e once ]; then echo again $WORD; sleep 60; fi; touch once; "
                                + "echo first $WORD; sleep 60")
                .in(dir)
                .withEnvironment("WORD", "blue");
        try (var child = ChildProcess.start(spec)) {
            child.awaitLine("first blue", SOON);
            long before = child.pid();
            child.restart();
            assertThat(child.pid()).isNotEqualTo(before);
            child.awaitLine("again blue", SOON);
            assertThatThrownBy(() -> child.awaitLine("first", BRIEFLY)).isInstanceOf(AssertionError.class);
            assertThat(child.log()).content().contains("first blue", "again blue");
        }
    }

    /** Not a shell that starts a program for each tick: it cannot be stopped while that program is, before it has begun. */
    @Test
    void aPausedProcessStandsStillAndGoesOnWhenResumed() {
        var ticks = ProcessSpec.java("ticks", ParentOfSleeper.class.getName(), "ticks")
                .withJvmOptions("-Xmx32m", "-XX:TieredStopAtLevel=1");
        try (var child = ChildProcess.start(ticks)) {
            child.awaitLine("tick", SOON);
            child.pause();
            long position = settledPosition(child);
            assertThatThrownBy(() -> child.awaitLineAfter(position, "tick", BRIEFLY))
                    .hasMessageContaining("no sign of");
            assertThat(child.isAlive()).isTrue();
            child.resume();
            child.awaitLineAfter(position, "tick", SOON);
            child.pause();
            child.kill9();
            assertThat(child.isAlive()).isFalse();
        }
    }

    /** What was on its way when the signal came may still arrive; a stopped process then adds nothing. */
    private static long settledPosition(ChildProcess child) {
        assertThatThrownBy(() -> child.awaitLine("never", BRIEFLY)).isInstanceOf(AssertionError.class);
        return child.logPosition();
    }

    @Test
    void aKillReachesWhatTheProcessHasStarted() {
        try (var child = shell("sleep 600 & echo grandchild $!; wait")) {
            long grandchild =
                    Long.parseLong(child.awaitLine("grandchild (\\d+)", SOON).group(1));
            assertThat(RunningPids.isRunning(grandchild)).isTrue();
            child.kill9();
            RunningPids.awaitGone(grandchild, SOON);
        }
    }

    @Test
    void waitsForAHealthEndpointToAnswer200() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/health", exchange -> {
            exchange.sendResponseHeaders(asked.incrementAndGet() < 3 ? 503 : 200, -1);
            exchange.close();
        });
        server.start();
        URI health = URI.create("http://localhost:" + server.getAddress().getPort() + "/health");
        try (var child = shell("echo up; sleep 60")) {
            child.awaitHealthy(health, SOON);
            assertThat(asked).hasValue(3);
            asked.set(Integer.MIN_VALUE);
            assertThatThrownBy(() -> child.awaitHealthy(health, BRIEFLY)).hasMessageContaining("200 from " + health);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void javaRunsOnTheJdkAndTheClassPathOfTheTest() {
        var spec = ProcessSpec.java("jvm", ParentOfSleeper.class.getName(), "version")
                .withJvmOptions("-Xmx32m", "-XX:TieredStopAtLevel=1");
        try (var child = ChildProcess.start(spec)) {
            var line = child.awaitLine("feature (\\d+) heap (\\d+)", SOON);
            assertThat(line.group(1)).isEqualTo("" + Runtime.version().feature());
            assertThat(Long.parseLong(line.group(2))).isLessThanOrEqualTo(32L << 20);
            assertThat(child.awaitExit(SOON)).isZero();
        }
    }

    @Test
    void logsOfTheSameNameDoNotOverwriteEachOther() throws IOException {
        try (var one = shell("echo one");
                var two = shell("echo two")) {
            one.awaitLine("one", SOON);
            two.awaitLine("two", SOON);
            assertThat(one.log()).isNotEqualTo(two.log());
            assertThat(Files.readString(one.log())).isEqualTo("one\n");
        }
    }

    private static ChildProcess shell(String script) {
        return ChildProcess.start(ProcessSpec.of("shell", "sh", "-c", script));
    }
}
