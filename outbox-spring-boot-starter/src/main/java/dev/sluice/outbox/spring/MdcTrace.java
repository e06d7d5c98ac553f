package dev.sluice.outbox.spring;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The trace as it stands in the logging context, for applications whose tracer is an agent: {@code traceparent} itself, or
 * {@code traceId} and {@code spanId} (also {@code trace_id} and {@code span_id}).
 */
final class MdcTrace implements TraceHeaders {
    static final String TRACEPARENT = "traceparent";

    private static final Pattern TRACE_ID = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern SPAN_ID = Pattern.compile("[0-9a-f]{16}");

    @Override
    public Map<String, String> current() {
        String whole = MDC.get(TRACEPARENT);
        if (whole != null) {
            return Map.of(TRACEPARENT, whole);
        }
        String trace = first("traceId", "trace_id");
        String span = first("spanId", "span_id");
        boolean known = trace != null
                && span != null
                && TRACE_ID.matcher(trace).matches()
                && SPAN_ID.matcher(span).matches();
        return known ? Map.of(TRACEPARENT, "00-" + trace + '-' + span + "-01") : Map.of();
    }

    private static @Nullable String first(String name, String otherName) {
        String value = MDC.get(name);
        return value == null ? MDC.get(otherName) : value;
    }
}
