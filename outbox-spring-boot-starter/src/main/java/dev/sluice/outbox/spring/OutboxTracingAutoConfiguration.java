package dev.sluice.outbox.spring;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Where the application has Micrometer Tracing: messages carry the current span. */
@AutoConfiguration(
        before = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration"
        })
@ConditionalOnClass(Tracer.class)
public class OutboxTracingAutoConfiguration {
    @Bean
    @ConditionalOnBean({Tracer.class, Propagator.class})
    @ConditionalOnMissingBean(TraceHeaders.class)
    TracerTrace outboxTracerTrace(Tracer tracer, Propagator propagator) {
        return new TracerTrace(tracer, propagator);
    }
}
