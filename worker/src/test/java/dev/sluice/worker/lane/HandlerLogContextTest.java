package dev.sluice.worker.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.sluice.coordinate.VirtualThreads;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.MessageHandler;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.cursor.Cursor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The logs of a handler name subject, partition and worker. */
class HandlerLogContextTest {
    private static final Map<String, String> CONTEXT =
            Map.of("subject", "orders.64.7.alice", "partition", "7", "worker", "w3");

    private final Logger log = (Logger) LoggerFactory.getLogger("handler of " + getClass());
    private final List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            contexts.add(event.getMDCPropertyMap());
        }
    };

    @BeforeEach
    void listen() {
        appender.start();
        log.addAppender(appender);
    }

    @AfterEach
    void leave() {
        log.detachAppender(appender);
    }

    private void handleOne(MessageHandler handler) {
        Lane lane = new Lane(
                Partition.open(7, "7", "orders.64.7.>"), new FencingToken(1, 1), Cursor.startingAfter(1, 0), true);
        lane.take(new TestDelivery(1, "orders.64.7.alice"), new TestFeed(), true, Instant.EPOCH);
        LaneRunner runner = new LaneRunner(
                lane,
                () -> true,
                new LaneRunner.Shop(
                        handler,
                        given -> null,
                        WorkerSettings.DEFAULT.with(settings -> settings.backoff = List.of(Duration.ofMillis(1))),
                        new WorkerCounters(),
                        new WorkerListener() {
                            @Override
                            public void handled(Duration time, Outcome outcome) {
                                log.warn("after the handler");
                            }
                        },
                        new VirtualThreads(),
                        InstantSource.system(),
                        "w3",
                        () -> false,
                        recorded -> {}));
        runner.kick();
        await().until(() -> lane.size() == 0);
    }

    @Test
    void aHandlersLogsNameSubjectPartitionAndWorker() {
        handleOne((context, message) -> {
            log.warn("in the handler");
            return Outcome.done();
        });
        assertThat(contexts).containsExactly(CONTEXT, Map.of());
    }

    @Test
    void nothingIsLeftBehindByAHandlerThatThrows() {
        handleOne((context, message) -> {
            log.warn("in the handler");
            throw new IllegalStateException("attempt " + context.attempt());
        });
        assertThat(contexts).containsExactly(CONTEXT, Map.of(), CONTEXT, Map.of(), CONTEXT, Map.of());
    }
}
