package dev.sluice.worker.simulation;

import dev.sluice.worker.stream.MessageStream;
import dev.sluice.worker.stream.StreamState.Retention;
import dev.sluice.worker.stream.StreamUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** The model of a stream without faults, for one thread that lets the time pass itself. */
public final class ManualModel implements ModelTime, Link {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final long CALL_NANOS = Duration.ofMillis(1).toNanos();

    private record Timer(long at, long order, Runnable action) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final RandomGenerator random = new SplittableRandom(1);
    private final ModelServer server;
    private final ModelStream stream;
    private final List<String> calls = new ArrayList<>();
    private String unanswered = "-";
    private boolean losesDeliveries;
    private long nanos;
    private long order;

    @SuppressWarnings("this-escape")
    public ManualModel(Retention retention, int maxConsumers, boolean newest) {
        this.server = new ModelServer(this, "S", retention, maxConsumers, 0, newest);
        this.stream = new ModelStream(server, this, this);
    }

    public MessageStream stream() {
        return stream;
    }

    public long publish(String subject, byte[] data) {
        return call("publish", () -> server.publish(subject, data, Map.of()));
    }

    public void purgeBefore(long sequence) {
        server.purgeBelow(sequence);
    }

    /** Another stream of the same name; consumers look as if nothing had happened. */
    public void makeAgain() {
        server.makeAgain();
    }

    public List<Long> stored() {
        return List.copyOf(server.messagesFrom(0).keySet());
    }

    /** Lets time pass; timers that are due run. */
    public void pass(Duration time) {
        long end = nanos + time.toNanos();
        for (Timer next = timers.peek(); next != null && next.at <= end; next = timers.peek()) {
            timers.remove();
            nanos = Math.max(nanos, next.at);
            next.action.run();
        }
        nanos = end;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public Instant instant() {
        return START.plusNanos(nanos);
    }

    @Override
    public void after(Duration delay, String what, Runnable timer) {
        timers.add(new Timer(nanos + delay.toNanos(), order++, timer));
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public <T> T call(String what, Supplier<T> atServer) {
        nanos += CALL_NANOS;
        calls.add(what);
        if (what.startsWith(unanswered)) {
            throw new StreamUnavailableException("no answer to: " + what, new TimeoutException());
        }
        return atServer.get();
    }

    @Override
    public void send(String what, Runnable atServer) {
        calls.add(what);
        atServer.run();
    }

    @Override
    public void receive(String what, Runnable atClient) {
        after(Duration.ZERO, what, atClient);
    }

    @Override
    public void later(Duration delay, String what, Runnable atClient) {
        after(delay, what, atClient);
    }

    @Override
    public boolean losesDelivery() {
        return losesDeliveries;
    }

    public void losesDeliveries(boolean loses) {
        losesDeliveries = loses;
    }

    /** Calls that begin so get no answer from now on. */
    public void leaveUnanswered(String what) {
        unanswered = what;
    }

    /** All calls and requests so far that begin so. */
    public List<String> calls(String what) {
        return calls.stream().filter(call -> call.startsWith(what)).toList();
    }

    @Override
    public Duration updateDelay() {
        return Duration.ofNanos(CALL_NANOS);
    }

    @Override
    public boolean isConnected(long then) {
        return true;
    }

    @Override
    public long connection() {
        return 0;
    }

    @Override
    public void whenBack(Runnable listener) {}
}
