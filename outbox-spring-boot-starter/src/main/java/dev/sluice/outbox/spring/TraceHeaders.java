package dev.sluice.outbox.spring;

import java.util.Map;

/** The headers that carry the current trace along, such as {@code traceparent}; none outside of a trace. */
@FunctionalInterface
public interface TraceHeaders {
    Map<String, String> current();
}
