package dev.sluice.testkit.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Copies the servers' logs to {@code target/server-logs} when a test of the run failed, and says where they are. The JUnit
 * Platform finds it by itself in every module that has the testkit on its class path.
 */
public final class KeepLogsOfFailedRuns implements TestExecutionListener {

    /** In the module under test. */
    static final Path DESTINATION = Path.of("target", "server-logs").toAbsolutePath();

    private final AtomicBoolean failed = new AtomicBoolean();
    private final Path destination;

    public KeepLogsOfFailedRuns() {
        this(DESTINATION);
    }

    KeepLogsOfFailedRuns(Path destination) {
        this.destination = destination.toAbsolutePath();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.FAILED) {
            failed.set(true);
        }
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
        if (!failed.get() || !TestRun.hasServers()) {
            return;
        }
        try {
            TestRun.current().keepLogs(destination);
            System.err.println("The servers' logs of this run are in " + destination);
        } catch (IOException e) {
            System.err.println("The servers' logs could not be kept: " + e);
        }
    }
}
