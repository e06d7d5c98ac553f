package dev.sluice.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.run.TurnsOnThreads;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A gateway drops numbers that it has had under one token, so a flow never uses one again, whatever became of its lanes. */
class FlowsTest {
    private final TurnsOnThreads turns = new TurnsOnThreads(1);
    private final LaneCounters counters = new LaneCounters();
    private final Flows flows = new Flows();

    @AfterEach
    void close() {
        turns.close();
    }

    private Lane lane(String gateway) {
        return new Lane(
                gateway,
                LaneSettings.DEFAULT,
                turns,
                counters,
                new LetterBox(new InMemoryDeadLetters(), turns, counters),
                new TestNode(1),
                () -> new Lanes.Told("", List.of()));
    }

    private long send(Lane lane, int deliveries) {
        long last = 0;
        for (int k = 0; k < deliveries; k++) {
            last = flows.of("s", lane).nextSeq();
        }
        return last;
    }

    @Test
    void aGatewayThatWasGoneAndComesBackGetsNoNumberASecondTime() {
        Lane a = lane("a");
        send(a, 500);
        Lane b = lane("b");
        assertThat(send(b, 10)).isEqualTo(510);
        long last = send(a, 1_000);
        a.close();
        assertThat(send(lane("c"), 1)).isGreaterThan(last);
        assertThat(send(lane("a"), 1)).isGreaterThan(last);
    }

    @Test
    void aSubscriptionThatComesAgainCountsOnAlsoWhenItsLanesAreClosed() {
        Lane a = lane("a");
        Lane b = lane("b");
        send(a, 5);
        send(b, 1);
        long last = send(a, 100);
        a.close();
        flows.end("s");
        assertThat(send(b, 1)).isGreaterThan(last);
    }

    @Test
    void lanesOfGatewaysThatAreGoneAreForgotten() {
        Lane gone = lane("g0");
        Flow first = flows.of("s", gone);
        gone.close();
        Flow second = flows.of("s", lane("g1"));
        assertThat(second).isNotSameAs(first);
        assertThat(flows.find("s", gone)).isNull();
    }
}
