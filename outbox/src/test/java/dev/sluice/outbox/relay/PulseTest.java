package dev.sluice.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.GroupStatus;
import dev.sluice.coordinate.identity.MemberState;
import dev.sluice.model.FencingToken;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What an idle relay knows of its receiver and its database, and what health makes of it. */
class PulseTest {
    private Duration elapsed = Duration.ZERO;
    private String wrong = "";

    private final Pulse pulse = new Pulse(
            "test",
            "the receiver",
            () -> {
                if (!wrong.isEmpty()) {
                    throw new SinkUnavailableException(wrong, false, null);
                }
            },
            () -> elapsed.toNanos());

    @Test
    void whatDoesNotAnswerIsSaidByTheNextBeatAndNoMoreWhenItDoes() throws Exception {
        assertThat(pulse.beat()).isEqualTo(Duration.ofSeconds(5));
        assertThat(pulse.trouble()).isEmpty();
        wrong = "the broker is away";
        pulse.beat();
        assertThat(pulse.trouble()).isEqualTo("the broker is away");
        wrong = "";
        pulse.beat();
        assertThat(pulse.trouble()).isEmpty();
    }

    @Test
    void eachChangeIsLoggedOnceWithItsCause() throws Exception {
        try (LoggedLines logged = LoggedLines.ofThisThread(Pulse.class)) {
            pulse.beat();
            wrong = "the broker is away";
            pulse.beat();
            pulse.beat();
            wrong = "";
            pulse.beat();
            pulse.beat();
            assertThat(logged.lines())
                    .containsExactly(
                            "WARN outbox test: the receiver does not answer, rows wait in the table until it does: the broker is"
                                    + " away",
                            "INFO outbox test: the receiver answers again");
        }
    }

    @Test
    void aQuestionThatHangsIsNoAnswerEither() throws Exception {
        pulse.beat();
        elapsed = Duration.ofSeconds(15);
        assertThat(pulse.trouble()).isEmpty();
        elapsed = Duration.ofSeconds(16);
        assertThat(pulse.trouble()).isEqualTo("the receiver has not answered for 16 s");
    }

    @Test
    void aRelayIsHealthyWhenAllAreThereAndEveryTopicTakesItsRows() {
        assertThat(status("", "", List.of()).isHealthy()).isTrue();
        assertThat(status("", "", List.of()).notSending()).isEmpty();
        assertThat(status("", "the database is away", List.of()).isHealthy()).isFalse();
        assertThat(status("the broker is away", "", List.of()))
                .satisfies(status -> assertThat(status.isHealthy()).isFalse())
                .satisfies(status -> assertThat(status.notSending()).contains("the broker is away"));
        assertThat(status("", "", List.of(new BlockedTopic("orders", "may not be written", 3))))
                .satisfies(status -> assertThat(status.isHealthy()).isFalse())
                .satisfies(status -> assertThat(status.notSending().orElseThrow())
                        .contains("orders", "others go on", "may not be written"));
    }

    private static RelayStatus status(String receiver, String database, List<BlockedTopic> blocked) {
        GroupStatus members = new GroupStatus(
                "outbox/test",
                "n",
                "n#1",
                MemberState.READY,
                List.of("n"),
                "n",
                true,
                1,
                1,
                false,
                List.of(),
                Map.of(),
                Duration.ZERO,
                "");
        PartitionStatus partition = new PartitionStatus(
                0, new FencingToken(1, 1), PartitionStatus.Breaker.CLOSED, Duration.ZERO, 0, 500, 0, blocked, "");
        return new RelayStatus(
                "test",
                "n",
                members,
                new RelayStatus.Contention(0, 0, 0, 0),
                List.of(partition),
                Optional.empty(),
                List.of(),
                receiver,
                database,
                false);
    }
}
