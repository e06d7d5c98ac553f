package dev.sluice.bench;

import dev.sluice.grpc.streamer.v1.Subscription;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Registers new subscriptions at a steady rate, a hundred per call, until it is stopped. They belong to the gateways of
 * {@link E2eWorld}, are in the collection whose events flow, and match none of them.
 */
final class RegistrationLoad implements AutoCloseable {
    private static final int PER_CALL = 100;
    private static final int CALLERS = 8;

    private final int perSecond;
    private final RegistrationCalls calls;
    private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLong registered = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong failedCalls = new AtomicLong();
    private final long begun = System.nanoTime();
    private volatile boolean stopped;

    /**
     * @param perSecond registrations that were acknowledged
     * @param refused registrations that were answered with a reason
     * @param failedCalls calls that ended with an error
     */
    record Outcome(int wanted, double perSecond, long refused, long failedCalls) {}

    private RegistrationLoad(int port, int perSecond) {
        this.perSecond = perSecond;
        this.calls = new RegistrationCalls(port, RegistrationLoad::subscription);
    }

    static RegistrationLoad start(int port, int perSecond) {
        RegistrationLoad load = new RegistrationLoad(port, perSecond);
        for (int k = 0; k < CALLERS; k++) {
            load.callers.execute(load::run);
        }
        return load;
    }

    private void run() {
        while (!stopped) {
            int from = next.getAndAdd(PER_CALL);
            long due = begun + (long) from * 1_000_000_000L / perSecond;
            long early = due - System.nanoTime();
            while (early > 0 && !stopped) {
                LockSupport.parkNanos(early);
                early = due - System.nanoTime();
            }
            register(from);
        }
    }

    private void register(int from) {
        try {
            int no = calls.register(from, from + PER_CALL).count();
            refused.addAndGet(no);
            registered.addAndGet(PER_CALL - no);
        } catch (StatusRuntimeException failed) {
            failedCalls.incrementAndGet();
        }
    }

    private static Subscription subscription(int number) {
        return Subscription.newBuilder()
                .setId("new-" + number)
                .setGatewayId(E2eWorld.gatewayId(number))
                .setCollection(LoadedMongo.COLLECTION)
                .setFilter("{\"customer\":\"customer-" + number + "\"}")
                .build();
    }

    /** Ends it; calls under way are waited for. */
    Outcome stop() {
        stopped = true;
        callers.close();
        double seconds = (System.nanoTime() - begun) / 1e9;
        return new Outcome(perSecond, registered.get() / seconds, refused.get(), failedCalls.get());
    }

    @Override
    public void close() {
        stopped = true;
        callers.close();
        calls.close();
    }
}
