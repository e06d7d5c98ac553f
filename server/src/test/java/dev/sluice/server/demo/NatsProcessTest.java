package dev.sluice.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.servers.NatsLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class NatsProcessTest {
    @TempDir
    Path data;

    /** Closing ends the pipe, which is also what happens when the demo is killed. */
    @Test
    void theServerEndsWithThePipeOfTheDemo() throws Exception {
        int port = FreePort.from(24_222);
        NatsProcess server = NatsProcess.start(NatsLine.ANY.program(), data, port);
        try {
            awaitAccepting(port);
            assertThat(server.url()).isEqualTo("nats://127.0.0.1:" + port);
        } finally {
            server.close();
        }
        assertThat(accepts(port)).isFalse();
    }

    private static void awaitAccepting(int port) {
        while (!accepts(port)) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }
}
