package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServersEndWithTheJvmTest {

    Process jvm;
    List<ProcessHandle> servers;
    Path folder;

    @BeforeEach
    void startServersInAnotherJvm() throws IOException {
        jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        StartsServersAndWaits.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var output = new BufferedReader(jvm.inputReader());
        servers = List.of(process(output.readLine()), process(output.readLine()));
        folder = Path.of(output.readLine());
        assertThat(output.readLine()).isEqualTo("started");
    }

    @AfterEach
    void end() {
        jvm.destroyForcibly();
    }

    @Test
    void anOrderlyEndStopsThemAndDeletesTheirFolder() throws Exception {
        assertThat(servers).allMatch(ProcessHandle::isAlive);
        assertThat(folder).isDirectory();
        jvm.getOutputStream().write('\n');
        jvm.getOutputStream().flush();
        assertThat(jvm.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertAllEnd();
        assertThat(Files.exists(folder)).isFalse();
    }

    @Test
    void aKilledJvmTakesThemAlong() throws Exception {
        assertThat(servers).allMatch(ProcessHandle::isAlive);
        var withChildren = servers.stream()
                .flatMap(server -> Stream.concat(Stream.of(server), server.descendants()))
                .toList();
        jvm.destroyForcibly().waitFor();
        servers = withChildren;
        assertAllEnd();
        Folders.delete(folder);
    }

    private void assertAllEnd() throws Exception {
        for (var server : servers) {
            server.onExit().get(30, TimeUnit.SECONDS);
        }
    }

    private static ProcessHandle process(String pid) {
        return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    }
}
