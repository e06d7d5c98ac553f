package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.outbox.OutboxRelay;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A start that waits says for which relay. */
class FirstShareTest {
    private final TestRows rows = TestRows.onH2(1);

    /** One partition, and another relay has it: alive, or not yet known to be dead. */
    @Test
    void aRelayThatGetsNoPartitionsNamesTheRelaysItWaitsFor() {
        try (LoggedLines logged = new LoggedLines(FirstShare.class);
                OutboxRelay before = relay("before")) {
            await().until(() -> before.status().partitions().size() == 1);
            try (OutboxRelay next = relay("next")) {
                await().until(() -> !logged.lines().isEmpty());
                assertThat(next.status().partitions()).isEmpty();
                assertThat(logged.lines())
                        .singleElement()
                        .satisfies(line -> assertThat(line)
                                .contains("outbox test", "waits for [before]", "up to 5 s after its last heartbeat"));
                before.close();
                await().until(() -> logged.lines().size() == 2);
            }
            assertThat(logged.lines().getLast()).contains("next owns 1 of 1 partitions");
        }
    }

    private OutboxRelay relay(String node) {
        return OutboxRelay.builder(rows.source())
                .name("test")
                .nodeId(node)
                .partitions(1)
                .sink(new ScriptedSink())
                .settings(RelaySettings.DEFAULT
                        .withNodeTimeout(Duration.ofSeconds(5))
                        .withStabiliser(StabiliserSettings.IMMEDIATE))
                .start();
    }
}
