package dev.sluice.server.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.testkit.servers.NatsLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class EventWorkerTest {
    @TempDir
    Path data;

    @Test
    void theWorkerOfTheDemoCountsItsEventsAndAnotherStartCountsNoneTwice() throws Exception {
        try (EventWorker worker = EventWorker.start(NatsLine.ANY.program(), data)) {
            assertThat(worker.introduction()).contains("nats://127.0.0.1:", "8 partitions");
            publish(worker, 0, 20);
            worker.publish(Event.newBuilder().setId("control").build());
            await(worker, 20);
        }
        try (EventWorker worker = EventWorker.start(NatsLine.ANY.program(), data)) {
            publish(worker, 15, 30);
            await(worker, 10);
        }
    }

    private static void publish(EventWorker worker, int from, int to) {
        for (int i = from; i < to; i++) {
            worker.publish(Event.newBuilder()
                    .setId("1-" + i + "-abc")
                    .setDocumentId("acme:order-" + i)
                    .build());
        }
    }

    private static void await(EventWorker worker, long handled) {
        while (worker.handled() < handled) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
        assertThat(worker.handled()).isEqualTo(handled);
    }
}
