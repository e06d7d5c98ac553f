package dev.sluice.testkit.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What every real server promises, asked through its own client library. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RealServerContract<S extends RealServer> {

    /** How long the clients wait for an answer that must come; long enough for a busy machine. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** How long they wait for one that cannot come, however fast the machine. */
    private static final Duration IN_VAIN = Duration.ofMillis(500);

    S server;

    /** A connected client that keeps texts on the server, in the order of their arrival. */
    interface Client extends AutoCloseable {
        /** Returns when the server has acknowledged it; throws if it has not within that time. */
        void write(String text, Duration patience) throws Exception;

        default void write(String text) throws Exception {
            write(text, PATIENCE);
        }

        List<String> readAll() throws Exception;
    }

    abstract S startPrivate();

    abstract S shared();

    /** Connects within {@link #PATIENCE}. */
    abstract Client connect(S server) throws Exception;

    @BeforeAll
    void start() {
        long from = System.nanoTime();
        server = startPrivate();
        System.out.printf("%s: first start %d ms%n", server.name(), millisSince(from));
    }

    @AfterAll
    void close() {
        if (server != null) {
            server.close();
            assertThat(server.isRunning()).isFalse();
        }
    }

    @BeforeEach
    void runs() {
        assertThat(server.isRunning()).isTrue();
    }

    @Test
    void itTalksToItsClient() throws Exception {
        assertThat(writeAndReadBack("hello")).contains("hello");
    }

    @Test
    void aRestartKeepsPortAndData() throws Exception {
        writeAndReadBack("before the restart");
        var url = server.url();
        long from = System.nanoTime();
        server.restart();
        System.out.printf("%s: restart %d ms%n", server.name(), millisSince(from));
        assertThat(server.url()).isEqualTo(url);
        assertThat(writeAndReadBack("after the restart"))
                .containsSubsequence("before the restart", "after the restart");
    }

    @Test
    void aKilledServerStartsAgainWithWhatItAcknowledged() throws Exception {
        writeAndReadBack("before the kill");
        server.kill();
        assertThat(server.isRunning()).isFalse();
        assertThatThrownBy(() -> new Socket("127.0.0.1", server.port()).close()).isInstanceOf(ConnectException.class);
        server.start();
        assertThat(writeAndReadBack("after the kill")).containsSubsequence("before the kill", "after the kill");
    }

    @Test
    void aPausedServerAnswersNobodyUntilItIsResumed() throws Exception {
        var connected = connect(server);
        connected.write("before the pause");
        server.pause();
        try {
            assertThatThrownBy(() -> connected.write("into the pause", IN_VAIN)).isInstanceOf(Exception.class);
        } finally {
            server.resume();
            connected.close();
        }
        assertThat(writeAndReadBack("after the pause")).containsSubsequence("before the pause", "after the pause");
    }

    @Test
    void theSharedServerIsAnotherThanThePrivateOneAndAlwaysTheSame() throws Exception {
        assertThat(shared()).isSameAs(shared());
        assertThat(shared().port()).isNotEqualTo(server.port());
        try (var client = connect(shared())) {
            client.write("shared");
            assertThat(client.readAll()).contains("shared");
        }
    }

    @Test
    void whatItPrintsIsInItsLog() {
        assertThat(server.logFile()).isNotEmptyFile();
    }

    private List<String> writeAndReadBack(String text) throws Exception {
        try (var client = connect(server)) {
            client.write(text);
            return client.readAll();
        }
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }
}
