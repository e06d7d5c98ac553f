package dev.sluice.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.stream.StreamMessage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

class HandlerLogContextTest {
    private static final MessageContext CONTEXT =
            new MessageContext("orders.64.7.alice", "7", "3", Instant.EPOCH, 1, new FencingToken(1, 2));

    private record Order(
            String subject, byte[] data, Map<String, List<String>> headers, long sequence, Instant storedAt)
            implements StreamMessage {}

    private static final StreamMessage ORDER = new Order("orders.64.7.alice", new byte[0], Map.of(), 1, Instant.EPOCH);

    @Test
    void theHandlersLogsNameSubjectPartitionAndWorker() throws Exception {
        Logger log = (Logger) LoggerFactory.getLogger("the application's handler");
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        log.addAppender(lines);
        try {
            new HandlerLogContext((context, message) -> {
                        log.warn("handled");
                        return Outcome.done();
                    })
                    .handle(CONTEXT, ORDER);
        } finally {
            log.detachAppender(lines);
        }
        assertThat(lines.list.getFirst().getMDCPropertyMap())
                .isEqualTo(Map.of("subject", "orders.64.7.alice", "partition", "7", "worker", "3"));
        assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
    }

    @Test
    void nothingIsLeftBehindByAHandlerThatThrows() {
        MessageHandler handler = new HandlerLogContext((context, message) -> {
            throw new IllegalStateException("no");
        });
        assertThatThrownBy(() -> handler.handle(CONTEXT, ORDER)).hasMessage("no");
        assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
    }
}
