package dev.sluice.outbox.spring;

import io.micrometer.tracing.CurrentTraceContext;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.lang.reflect.Proxy;
import java.util.List;

/** Propagates by one header, {@code b3}, so that it can be told from what the logging context would give. */
final class FakeTrace implements Propagator {
    /** A tracer that is always within this trace, and does nothing else. */
    static Tracer tracer(String traceId) {
        TraceContext context = only(TraceContext.class, "traceId", traceId);
        return only(Tracer.class, "currentTraceContext", only(CurrentTraceContext.class, "context", context));
    }

    private static <T> T only(Class<T> type, String method, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                FakeTrace.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, called, arguments) -> called.getName().equals(method) ? answer : null));
    }

    @Override
    public List<String> fields() {
        return List.of("b3");
    }

    @Override
    public <C> void inject(TraceContext context, C carrier, Setter<C> setter) {
        setter.set(carrier, "b3", context.traceId());
    }

    @Override
    public <C> Span.Builder extract(C carrier, Getter<C> getter) {
        throw new UnsupportedOperationException();
    }
}
