package dev.sluice.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.LaneStatus;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerReportTest {
    /** Each partition shows what waits in the consumer that it shares with the others. */
    @Test
    void theLagOfAWorkerCountsWhatWaitsInASharedConsumerOnce() {
        var counters = new WorkerCounters();
        counters.pending.set(1_000);
        var status = new WorkerStatus(
                "g",
                "w1",
                "life",
                WorkerStatus.State.RUNNING,
                List.of("g-w1-life-1"),
                2,
                3,
                List.of(lane(0), lane(1)),
                WorkerSettings.ConsumerMode.PER_WORKER,
                null,
                List.of());
        assertThat(WorkerReport.of(status, counters).getNumber("lag").longValue())
                .isEqualTo(1_003);
    }

    private static LaneStatus lane(int index) {
        return new LaneStatus(
                "p" + index,
                index,
                new FencingToken(1, 1),
                LaneStatus.Source.DURABLE,
                10,
                1,
                1_001,
                0,
                LaneStatus.Waiting.NO,
                null);
    }
}
