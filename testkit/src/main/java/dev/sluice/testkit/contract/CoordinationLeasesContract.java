package dev.sluice.testkit.contract;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Of a coordination store: leases end by its clock, and no more is done under them then. */
abstract class CoordinationLeasesContract extends CoordinationValuesContract {
    /** Longer than any test takes. */
    private static final Duration LONG = Duration.ofMinutes(2);

    @Test
    protected void ofTwoClientsOfOneIdTheSecondIsRefused() {
        Lease lease = one.openLease("group/members/n1", "n1:first", LONG).orElseThrow();
        assertThat(other.openLease("group/members/n1", "n1:second", LONG)).isEmpty();
        assertThat(other.openLease("group/members/n1", "n1:second", LONG.multipliedBy(2)))
                .as("whatever its lifetime")
                .isEmpty();
        assertThat(other.openLease("group/members/n1", "n1:first", LONG))
                .as("under the same holder name too")
                .isEmpty();
        assertThat(one.openLease("group/members/n1", "n1:first", LONG))
                .as("and for the same client")
                .isEmpty();
        assertThat(other.leases("group/members/")).containsExactly(Map.entry("group/members/n1", "n1:first"));
        assertThat(lease.renew()).as("a refusal does the holder no harm").isTrue();
        assertThat(other.openLease("group/members/n2", "n2:first", LONG)).isPresent();
    }

    @Test
    protected void ofManyThatOpenALeaseExactlyOneDoes() throws Exception {
        List<Optional<Lease>> answers = race(12, n -> clientOf(n).openLease("group/members/n1", "n1:" + n, LONG));
        assertThat(answers).filteredOn(Optional::isPresent).hasSize(1);
        int winner = IntStream.range(0, 12)
                .filter(n -> answers.get(n).isPresent())
                .findFirst()
                .orElseThrow();
        assertThat(one.leases("group/members/")).containsExactly(Map.entry("group/members/n1", "n1:" + winner));
        assertThat(answers.get(winner).orElseThrow().renew()).isTrue();
    }

    @Test
    protected void leasesAndValuesOfOneNameDoNotTouchEachOther() {
        one.put("group/members/n1", bytes("record"), ABSENT).orElseThrow();
        Lease lease = one.openLease("group/members/n1", "n1:1", ttl()).orElseThrow();
        assertThat(other.get("group/members/n1").orElseThrow().text()).isEqualTo("record");
        assertThat(keysBelow("group/")).containsExactly("group/members/n1");
        lease.close();
        assertThat(other.get("group/members/n1")).isPresent();
    }

    @Test
    protected void leasesAreListedByPrefixInOrder() {
        for (String name : List.of("g/b/2", "g/b/10", "g/b1/x", "g/b.c/x", "g/b", "G/b/x")) {
            assertThat(one.openLease(name, "h:" + name, LONG)).isPresent();
        }
        assertThat(other.leases("g/b/"))
                .containsExactly(Map.entry("g/b/10", "h:g/b/10"), Map.entry("g/b/2", "h:g/b/2"));
    }

    @Test
    protected void aClosedLeaseEndsAtOnceAndForGood() {
        Lease lease = one.openLease("group/members/n1", "n1:1", LONG).orElseThrow();
        lease.close();
        assertThat(other.leases("group/members/")).isEmpty();
        assertThat(lease.renew()).isFalse();
        assertThat(lease.put("group/a", bytes("late"), ABSENT)).isEmpty();
        Lease next = other.openLease("group/members/n1", "n1:2", LONG).orElseThrow();
        lease.close();
        assertThat(lease.renew()).isFalse();
        assertThat(lease.put("group/a", bytes("late"), ABSENT)).isEmpty();
        assertThat(next.renew()).as("the next one's is another").isTrue();
        assertThat(one.leases("group/members/")).containsExactly(Map.entry("group/members/n1", "n1:2"));
        assertThat(one.get("group/a")).isEmpty();
    }

    /** The holder is gone, its clock with it: it is the store that counts. */
    @Test
    protected void aLeaseOutlivesItsClientAndEndsByTheStoresClock() {
        CoordinationStore gone = client(REQUEST_TIMEOUT);
        long before = System.nanoTime();
        assertThat(gone.openLease("group/members/n1", "n1:1", ttl())).isPresent();
        gone.close();
        var left = other.leases("group/members/");
        var second = other.openLease("group/members/n1", "n1:2", ttl());
        // else this machine stood still for longer than the lease
        if (System.nanoTime() - before < ttl().toNanos()) {
            assertThat(left).as("closing a client is not leaving").hasSize(1);
            assertThat(second).isEmpty();
        }
        await("the end of the lease", () -> other.leases("group/members/").isEmpty());
        Duration lived = Duration.ofNanos(System.nanoTime() - before);
        System.out.printf("a lease of %s was seen gone after %,d ms%n", ttl(), lived.toMillis());
        assertThat(lived).isGreaterThan(ttl().minusMillis(50));
        assertThat(other.openLease("group/members/n1", "n1:2", ttl())).isPresent();
    }

    @Test
    protected void aRenewedLeaseLivesOn() {
        int attempt = 1;
        while (!livesOn("group/members/n" + attempt, "group/a" + attempt)) {
            assertThat(++attempt)
                    .as("attempts; this machine stands still for longer than a lease")
                    .isLessThan(10);
        }
    }

    /** False when it came to no renewal in time: nothing is promised then. */
    private boolean livesOn(String name, String key) {
        long start = System.nanoTime();
        long renewed = start;
        Lease lease = one.openLease(name, "n:1", ttl()).orElseThrow();
        long revision = ABSENT;
        while (System.nanoTime() - start < ttl().multipliedBy(3).dividedBy(2).toNanos()) {
            long now = System.nanoTime();
            boolean alive = lease.renew();
            boolean listed = other.leases("group/members/").containsKey(name);
            OptionalLong written = lease.put(key, bytes("alive"), revision);
            if (System.nanoTime() - renewed > ttl().toNanos()) {
                return false;
            }
            assertThat(alive).as("renewed").isTrue();
            assertThat(listed).as("listed").isTrue();
            revision = written.orElseThrow();
            renewed = now;
            park(ttl().dividedBy(5));
        }
        return true;
    }

    /** Neither its renewals nor its writes count any more, also when nobody came after it. */
    @Test
    protected void aClientPausedLongerThanItsLeaseFindsItEnded() {
        long revision = one.put("group/a", bytes("1"), ABSENT).orElseThrow();
        Lease lease = one.openLease("group/members/n1", "n1:1", ttl()).orElseThrow();
        await("the end of the lease", () -> other.leases("group/members/").isEmpty());
        assertThat(lease.put("group/a", bytes("late"), revision)).isEmpty();
        assertThat(lease.renew()).isFalse();
        assertThat(lease.renew()).as("still").isFalse();
        assertThat(one.leases("group/members/")).as("not revived").isEmpty();
        Lease next = other.openLease("group/members/n1", "n1:2", LONG).orElseThrow();
        assertThat(lease.renew()).isFalse();
        assertThat(lease.put("group/a", bytes("late"), revision)).isEmpty();
        lease.close();
        assertThat(next.renew()).isTrue();
        assertThat(next.put("group/a", bytes("2"), revision)).isPresent();
        assertThat(one.get("group/a").orElseThrow().text()).isEqualTo("2");
    }

    @Test
    protected void aPutUnderALeaseIsACompareAndSetToo() {
        Lease lease = one.openLease("group/members/n1", "n1:1", LONG).orElseThrow();
        long first = lease.put("group/a", bytes("1"), ABSENT).orElseThrow();
        assertThat(lease.put("group/a", bytes("2"), ABSENT)).isEmpty();
        long second = other.put("group/a", bytes("2"), first).orElseThrow();
        assertThat(lease.put("group/a", bytes("3"), first)).isEmpty();
        assertThat(lease.put("group/a", bytes("3"), second).orElseThrow()).isGreaterThan(second);
        refused("a key", () -> lease.put("a//b", bytes("1"), ABSENT));
    }

    /** After the end of the lease was seen, not even a write that was under way goes through. */
    @Test
    protected void noPutUnderALeaseHappensAfterItsEnd() throws Exception {
        for (int round = 0; round < 10; round++) {
            String key = "group/a" + round;
            Lease lease = one.openLease("group/members/n1", "n1:" + round, LONG).orElseThrow();
            Semaphore going = new Semaphore(0);
            try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
                Future<?> writing = threads.submit(() -> {
                    long revision = ABSENT;
                    OptionalLong written = lease.put(key, bytes("" + revision), revision);
                    while (written.isPresent() && !Thread.currentThread().isInterrupted()) {
                        going.release();
                        revision = written.getAsLong();
                        written = lease.put(key, bytes("" + revision), revision);
                    }
                });
                assertThat(going.tryAcquire(3, 20, TimeUnit.SECONDS)).isTrue();
                lease.close();
                long atTheEnd = other.get(key).orElseThrow().revision();
                assertThat(endsWithin(20, writing)).as("it is refused").isTrue();
                assertThat(other.get(key).orElseThrow().revision()).isEqualTo(atTheEnd);
            }
        }
    }

    private static boolean endsWithin(int seconds, Future<?> task) throws Exception {
        try {
            task.get(seconds, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException goesOn) {
            task.cancel(true);
            return false;
        }
    }
}
