package dev.sluice.outbox.spring;

import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The current span of Micrometer Tracing, in the form the application propagates by (W3C unless told otherwise). */
final class TracerTrace implements TraceHeaders {
    private final Tracer tracer;
    private final Propagator propagator;

    TracerTrace(Tracer tracer, Propagator propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    @Override
    public Map<String, String> current() {
        @Nullable TraceContext context = tracer.currentTraceContext().context();
        if (context == null) {
            return Map.of();
        }
        Map<String, String> headers = new HashMap<>();
        propagator.inject(context, headers, (into, name, value) -> {
            if (into != null) {
                into.put(name, value);
            }
        });
        return headers;
    }
}
