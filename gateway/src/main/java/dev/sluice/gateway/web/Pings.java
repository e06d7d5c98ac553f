package dev.sluice.gateway.web;

import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Reminds every open WebSocket once per interval to ping its client, a tenth of the sockets at a time: the pings of thousands
 * of sockets do not come all at once. One loop for all, so that an idle socket holds no thread and no timer. Any thread may
 * call.
 */
final class Pings implements AutoCloseable {
    private static final int SLOTS = 10;

    private final List<Set<Runnable>> slots = IntStream.range(0, SLOTS)
            .mapToObj(k -> (Set<Runnable>) ConcurrentHashMap.<Runnable>newKeySet())
            .toList();
    private final AtomicInteger added = new AtomicInteger();
    private final Duration pause;
    private final Loop loop;
    private int next;

    Pings(String gatewayId, Duration interval) {
        this.pause = interval.dividedBy(SLOTS);
        this.loop = new Loops().loop("gateway-" + gatewayId + "-pings").start(this::step);
    }

    /**
     * Adds a socket; closing what is returned removes it.
     *
     * @param ping must not block
     */
    Connections.Open add(Runnable ping) {
        Set<Runnable> slot = slots.get(Math.floorMod(added.getAndIncrement(), SLOTS));
        slot.add(ping);
        return () -> slot.remove(ping);
    }

    private Duration step() {
        slots.get(next).forEach(Runnable::run);
        next = (next + 1) % SLOTS;
        return pause;
    }

    @Override
    public void close() {
        loop.askToStop();
        loop.interrupt();
    }
}
