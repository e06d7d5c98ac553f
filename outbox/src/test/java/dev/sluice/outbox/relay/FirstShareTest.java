package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.coordinate.GroupStatus;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.identity.MemberState;
import dev.sluice.model.FencingToken;
import dev.sluice.outbox.OutboxRelay;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A start that waits says for which relay. */
class FirstShareTest {
    private final TestRows rows = TestRows.onH2(1);

    /** One partition, and another relay has it: alive, or not yet known to be dead. */
    @Test
    void aRelayThatGetsNoPartitionsNamesTheRelaysItWaitsFor() {
        try (LoggedLines logged = LoggedLines.containing("outbox first-share", FirstShare.class);
                OutboxRelay before = relay("before")) {
            await().until(() -> before.status().partitions().size() == 1);
            try (OutboxRelay next = relay("next")) {
                await().until(() -> !logged.lines().isEmpty());
                assertThat(next.status().partitions()).isEmpty();
                assertThat(logged.lines())
                        .singleElement()
                        .satisfies(line -> assertThat(line)
                                .contains(
                                        "outbox first-share",
                                        "waits for [before]",
                                        "up to 5 s after its last heartbeat"));
                before.close();
                await().until(() -> logged.lines().size() == 2);
            }
            assertThat(logged.lines().getLast()).contains("next owns 1 of 1 partitions");
        }
    }

    @Test
    void aStandbyLooksRarelyAndAnOwnerNoMore() {
        Duration[] elapsed = {Duration.ZERO};
        FirstShare share = new FirstShare("quiet", Duration.ofSeconds(5), () -> elapsed[0].toNanos());
        assertThat(share.look(status(List.of()))).isLessThan(Duration.ofSeconds(1));
        elapsed[0] = Duration.ofSeconds(1);
        assertThat(share.look(status(List.of()))).isGreaterThan(Duration.ofSeconds(1));
        assertThat(share.look(status(List.of(new GroupStatus.Owned(0, new FencingToken(1, 1), "")))))
                .isNull();
    }

    private static GroupStatus status(List<GroupStatus.Owned> owned) {
        return new GroupStatus(
                "outbox/quiet",
                "n",
                "n#1",
                MemberState.READY,
                List.of("n", "other"),
                "n",
                true,
                1,
                1,
                false,
                owned,
                Map.of(),
                Duration.ZERO,
                "");
    }

    private OutboxRelay relay(String node) {
        return OutboxRelay.builder(rows.source())
                .name("first-share")
                .nodeId(node)
                .partitions(1)
                .sink(new ScriptedSink())
                .settings(RelaySettings.DEFAULT
                        .withNodeTimeout(Duration.ofSeconds(5))
                        .withStabiliser(StabiliserSettings.IMMEDIATE))
                .start();
    }
}
