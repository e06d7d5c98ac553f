package dev.sluice.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.servers.NatsServer;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What may be tried again, because it has certainly done nothing. */
class NatsLinkTest {
    /** A port, a size, a subject: 503 may stand in any message. */
    @Test
    void theTextOfAFailureDecidesNothing() {
        assertThat(NatsLink.hasDoneNothing(new IOException("Timeout or no response from nats://127.0.0.1:15032")))
                .isFalse();
        assertThat(NatsLink.hasDoneNothing(new IllegalStateException("503"))).isFalse();
    }

    @Test
    void aMessageThatNoStreamTakesYetIsTriedAgain() {
        try (NatsLink link = new NatsLink(NatsAccess.to(NatsServer.shared().url()), Duration.ofSeconds(20))) {
            AtomicInteger attempts = new AtomicInteger();
            long sequence = link.call(
                    "write",
                    () -> attempts.incrementAndGet() == 3
                            ? 7
                            : link.publish("taken.by.no.stream", new Headers(), new byte[0])
                                    .getSeqno());
            assertThat(sequence).isEqualTo(7);
        }
    }
}
