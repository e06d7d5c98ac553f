package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevServersTest {

    @TempDir
    Path folder;

    DevServers servers;

    @BeforeEach
    void inANewFolder() {
        servers = new DevServers(folder);
    }

    @AfterEach
    void stopWhatWasStarted() {
        servers.run("down", List.of("nats"));
    }

    @Test
    void whatUpStartedIsFoundByALaterProgramAndStoppedByDown() {
        servers.run("up", List.of("nats"));
        var started = pidFile().read().orElseThrow();
        assertThat(started.process().isAlive()).isTrue();

        new DevServers(folder).run("down", List.of("nats"));
        assertThat(started.process().isAlive()).isFalse();
        assertThat(pidFile().read()).isEmpty();
    }

    @Test
    void upTwiceStartsItOnce() {
        servers.run("up", List.of("nats"));
        var first = pidFile().read();
        servers.run("up", List.of("nats"));
        assertThat(pidFile().read()).isEqualTo(first).isPresent();
    }

    @Test
    void anUnknownServerIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> servers.run("up", List.of("oracle")))
                .hasMessageContaining("oracle")
                .hasMessageContaining("postgres|kafka|nats|etcd|mariadb");
    }

    private PidFile pidFile() {
        return new PidFile(folder.resolve("nats").resolve("pid"));
    }
}
