package dev.sluice.lane;

import dev.sluice.run.Turns;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Whether one gateway is worth an attempt. Opens after so many failures in a row; after a while one probe may find out
 * whether it is back. Guarded by its lane.
 */
final class GatewayBreaker {
    private final CircuitBreaker breaker;
    private final Turns turns;
    private final long openNanos;
    private long openedAt;

    GatewayBreaker(String gatewayId, LaneSettings.Breaker settings, Turns turns) {
        this.turns = turns;
        this.openNanos = settings.openFor().toNanos();
        this.breaker = CircuitBreaker.of(
                gatewayId,
                CircuitBreakerConfig.custom()
                        .slidingWindowType(SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(settings.threshold())
                        .minimumNumberOfCalls(settings.threshold())
                        .failureRateThreshold(100)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .waitDurationInOpenState(settings.openFor())
                        .clock(new Elapsed(turns))
                        .build());
    }

    boolean isClosed() {
        return breaker.getState() == State.CLOSED;
    }

    /** Whether the time for a probe has come; whoever is told so sends one and reports what came of it. */
    boolean probes() {
        return breaker.getState() == State.OPEN && !untilProbe().isPositive() && breaker.tryAcquirePermission();
    }

    /** While it is open. */
    Duration untilProbe() {
        return Duration.ofNanos(openNanos - (turns.nanos() - openedAt));
    }

    void succeeded() {
        breaker.onSuccess(0, TimeUnit.NANOSECONDS);
    }

    void failed() {
        State before = breaker.getState();
        breaker.onError(0, TimeUnit.NANOSECONDS, new IllegalStateException("no delivery"));
        if (before != State.OPEN && breaker.getState() == State.OPEN) {
            openedAt = turns.nanos();
        }
    }

    /** The gateway has registered again: what it did before is no sign. */
    void reset() {
        breaker.reset();
    }

    String state() {
        return breaker.getState().name().toLowerCase(Locale.ROOT);
    }

    /** The library wants a wall clock; ours must not jump. */
    private static final class Elapsed extends Clock {
        private final Turns turns;

        Elapsed(Turns turns) {
            this.turns = turns;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(turns.nanos());
        }
    }
}
