package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SluiceProcessTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void theProcessHarnessStartsSluice() {
        assertThat(ProcessSpec.SLUICE_MAIN).isEqualTo(Sluice.class.getName());
        try (var sluice = ChildProcess.start(ProcessSpec.sluice("sluice-help", "--help"))) {
            sluice.awaitLine("Takes every committed change", SOON);
            assertThat(sluice.awaitExit(SOON)).isZero();
        }
    }

    @Test
    void devmongoEndsInOrderWhenItIsToldTo() {
        try (var sluice = ChildProcess.start(ProcessSpec.sluice("sluice-devmongo", "devmongo", "--port", "0"))) {
            sluice.awaitLine("mongodb://127\\.0\\.0\\.1:\\d+", SOON);
            assertThat(sluice.terminate(SOON)).isZero();
        }
    }
}
