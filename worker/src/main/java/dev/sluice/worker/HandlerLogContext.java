package dev.sluice.worker;

import dev.sluice.worker.stream.StreamMessage;
import org.slf4j.MDC;

/** Puts {@code subject}, {@code partition} and {@code worker} into the log context (MDC) while a handler runs. */
final class HandlerLogContext implements MessageHandler {
    private final MessageHandler handler;

    HandlerLogContext(MessageHandler handler) {
        this.handler = handler;
    }

    @Override
    public Outcome handle(MessageContext context, StreamMessage message) throws Exception {
        MDC.put("subject", context.subject());
        MDC.put("partition", context.partition());
        MDC.put("worker", context.worker());
        try {
            return handler.handle(context, message);
        } finally {
            MDC.remove("subject");
            MDC.remove("partition");
            MDC.remove("worker");
        }
    }
}
