package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class KeepLogsOfFailedRunsTest {

    @TempDir
    Path folder;

    @Test
    void aFailedRunKeepsTheLogsAlsoOfServersThatAreClosed() throws Exception {
        String log;
        try (var server = NatsServer.startPrivate()) {
            log = server.logFile().getFileName().toString();
        }
        run(true);
        assertThat(Files.readString(folder.resolve("logs").resolve(log))).contains("Server is ready");
    }

    @Test
    void aGreenRunKeepsNothing() {
        NatsServer.shared();
        run(false);
        assertThat(folder.resolve("logs")).doesNotExist();
    }

    private void run(boolean failing) {
        Obedient.mustFail = failing;
        var own = LauncherConfig.builder()
                .enableTestExecutionListenerAutoRegistration(false)
                .addTestExecutionListeners(new KeepLogsOfFailedRuns(folder.resolve("logs")))
                .build();
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(Obedient.class))
                // Not the build's own setting: a run within a run has no workers of its own to wait for.
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
                .build();
        LauncherFactory.create(own).execute(request);
        Obedient.mustFail = false;
    }

    /** Fails when the tests above want it to, and never if the build comes upon it. */
    static class Obedient {

        static boolean mustFail;

        @Test
        void obeys() {
            assertThat(mustFail).isFalse();
        }
    }
}
