package dev.sluice.server.coordinate;

import dev.sluice.coordinate.Claim;
import dev.sluice.coordinate.PartitionUser;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts each partition it owns up, write by write, from the position that came with the claim. */
final class CountingUser implements PartitionUser {
    private static final long PACE_MILLIS = 40;

    private final CountersClient counters;
    private final AtomicInteger sessions = new AtomicInteger();
    private final Map<Claim, Counting> running = new ConcurrentHashMap<>();

    CountingUser(CountersClient counters) {
        this.counters = counters;
    }

    @Override
    public void assigned(Claim claim) {
        Counting counting = new Counting(claim, sessions.incrementAndGet());
        running.put(claim, counting);
        Thread.ofVirtual().name("count-" + claim.partition()).start(counting);
    }

    @Override
    public void revoking(Claim claim) {
        Counting counting = running.remove(claim);
        if (counting != null) {
            counting.stopAndWait();
            // A member that was frozen beyond its lease gives nothing: its release will be refused.
            if (claim.isHeld()) {
                counters.ask("give", claim, counting.session, 0);
            }
        }
    }

    @Override
    public void lost(Claim claim) {
        Counting counting = running.remove(claim);
        if (counting != null) {
            counting.stop.countDown();
        }
    }

    private final class Counting implements Runnable {
        private final Claim claim;
        private final int session;
        private final CountDownLatch stop = new CountDownLatch(1);
        private final CountDownLatch stopped = new CountDownLatch(1);

        Counting(Claim claim, int session) {
            this.claim = claim;
            this.session = session;
        }

        @Override
        public void run() {
            try {
                long value = claim.position().isEmpty() ? 0 : Long.parseLong(claim.position());
                boolean fresh = counters.ask("take", claim, session, value);
                while (fresh && claim.isHeld()) {
                    value++;
                    fresh = counters.ask("write", claim, session, value);
                    if (fresh) {
                        claim.report(Long.toString(value));
                    }
                    if (stop.await(PACE_MILLIS, TimeUnit.MILLISECONDS)) {
                        return;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                stopped.countDown();
            }
        }

        void stopAndWait() {
            stop.countDown();
            try {
                stopped.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
