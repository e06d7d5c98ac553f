package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.http.HttpForward.Answer;
import dev.sluice.testkit.servers.FreePorts;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpForwardTest {
    private static HttpForward to(int port, Duration timeout) {
        return new HttpForward(
                URI.create("http://127.0.0.1:" + port + "/x"), new HttpDelivery("n", timeout, null, "hunter2"));
    }

    /** It accepts connections and never answers: without the timeout this would not end. */
    @Test
    void aReceiverThatSaysNothingIsLeftAfterTheTimeout() throws Exception {
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var forward = to(silent.getLocalPort(), Duration.ofMillis(200))) {
            assertThat(forward.post(new byte[1], "text/plain", Map.of()))
                    .isInstanceOfSatisfying(
                            Answer.None.class,
                            none -> assertThat(none.reason())
                                    .contains("no answer", "within 200 ms")
                                    .doesNotContain("hunter2"));
        }
    }

    @Test
    void aReceiverThatIsNotThereIsNamed() throws Exception {
        int port = FreePorts.take();
        try (var forward = to(port, Duration.ofSeconds(20))) {
            assertThat(forward.post(new byte[1], "text/plain", Map.of()))
                    .isInstanceOfSatisfying(
                            Answer.None.class,
                            none -> assertThat(none.reason()).contains("cannot reach 127.0.0.1:" + port));
        }
    }
}
