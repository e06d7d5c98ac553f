package dev.sluice.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class ReachabilityTest {
    private static final TimeoutException WAITED = new TimeoutException("Timed out waiting for a node assignment.");

    @Test
    void aBrokerThatIsAwayIsTheCauseInPlaceOfAWaitInVain() throws Exception {
        int port;
        try (ServerSocket there = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = there.getLocalPort();
            assertThat(Reachability.reason(WAITED, "127.0.0.1:" + port)).contains("node assignment");
        }
        String servers = "127.0.0.1:" + port + ", localhost:" + port;
        assertThat(Reachability.reason(WAITED, servers))
                .isEqualTo("no broker of " + servers + " can be reached: Connection refused");
        assertThat(Reachability.reason(new KafkaException("not authorized"), servers))
                .isEqualTo("KafkaException: not authorized");
    }

    @Test
    void anAddressThatIsNoneIsSaid() {
        assertThat(Reachability.whyUnreachable("broker.invalid:9092").orElseThrow())
                .isEqualTo("no broker of broker.invalid:9092 can be reached: unknown host broker.invalid");
        assertThat(Reachability.whyUnreachable("[::1]")).isPresent();
    }
}
