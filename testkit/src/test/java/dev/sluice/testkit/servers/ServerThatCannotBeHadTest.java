package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServerThatCannotBeHadTest {

    @Test
    void aProgramThatIsNotThereIsOneSentenceThatSaysWhatToInstall() {
        assertFailsInOneSentence(new Broken("true", "--not-reached") {
            @Override
            List<String> command() throws IOException {
                throw new IOException("no mirror\nin reach");
            }
        });
    }

    @Test
    void aProgramThatEndsAtOnceIsOneSentenceWithTheEndOfItsLog() {
        var server = new Broken("sh", "-c", "echo port taken; echo giving up; exit 1");
        assertFailsInOneSentence(server);
        assertThatThrownBy(server::start).hasMessageContaining("port taken | giving up");
    }

    @Test
    void aServerThatIsNotReadyInTimeIsOneSentenceWithTheLogThatIsKept() {
        var server = new Broken("sh", "-c", "echo still recovering; exec sleep 60") {
            @Override
            Duration startWithin() {
                return Duration.ofSeconds(1);
            }
        };
        assertFailsInOneSentence(server);
        assertThat(server.isRunning()).isFalse();
        assertThatThrownBy(server::start)
                .hasMessageContaining("see " + Path.of("target", "server-logs").toAbsolutePath())
                .hasMessageContaining("still recovering");
    }

    @Test
    void aSharedServerThatFailedFailsTheNextTestsAtOnce() {
        var attempts = new AtomicInteger();
        var shared = new SharedServer<>(() -> {
            attempts.incrementAndGet();
            var server = new Broken("false");
            server.start();
            return server;
        });
        assertThatThrownBy(shared::get).isInstanceOf(ServerUnavailableException.class);
        assertThatThrownBy(shared::get).isInstanceOf(ServerUnavailableException.class);
        assertThat(attempts).hasValue(1);
    }

    private static void assertFailsInOneSentence(RealServer server) {
        assertThatExceptionOfType(ServerUnavailableException.class)
                .isThrownBy(server::start)
                .satisfies(e -> assertThat(e.getMessage())
                        .startsWith("broken does not start (")
                        .endsWith(": install the broken server.")
                        .doesNotContain("\n"));
    }

    private static class Broken extends LocalServer {

        private final List<String> command;

        Broken(String... command) {
            super("broken", ServerPlace.temporary("broken"));
            this.command = List.of(command);
        }

        @Override
        public String url() {
            return "";
        }

        @Override
        void prepare() throws IOException {
            Files.createDirectories(place().data());
        }

        @Override
        List<String> command() throws IOException {
            return command;
        }

        @Override
        String readyLine() {
            return "never said";
        }

        @Override
        String remedy() {
            return "install the broken server";
        }
    }
}
