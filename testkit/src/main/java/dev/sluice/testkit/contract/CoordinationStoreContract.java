package dev.sluice.testkit.contract;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.testkit.faults.Direction;
import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.RealServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * What every {@link CoordinationStore} promises: values, leases, and here watches and outages. A test has the store for itself
 * and two clients of it. What needs a server or a network to hurt is skipped where there is none.
 */
public abstract class CoordinationStoreContract extends CoordinationLeasesContract {

    @Test
    protected void aChangeByAnotherClientIsTold() {
        Semaphore told = new Semaphore(0);
        try (CoordinationStore.Watch watching = one.watch("group/", key -> told.release())) {
            assertThat(watching).isNotNull();
            long revision = other.put("group/members/n1", bytes("1"), ABSENT).orElseThrow();
            await("told of the creation", told);
            revision = other.put("group/members/n1", bytes("2"), revision).orElseThrow();
            await("told of the change", told);
            other.delete("group/members/n1", revision);
            await("told of the deletion", told);
            Lease lease = other.openLease("group/members/n1", "n1:1", Duration.ofSeconds(30))
                    .orElseThrow();
            lease.put("group/members/n1", bytes("3"), ABSENT).orElseThrow();
            await("told of what was put under a lease", told);
        }
    }

    /** The prefix itself stands for any key: then everything below may have changed. */
    @Test
    protected void theKeyThatChangedIsTold() {
        Set<String> told = ConcurrentHashMap.newKeySet();
        try (CoordinationStore.Watch watching = one.watch("group/a/", told::add)) {
            assertThat(watching).isNotNull();
            other.put("group/b/1", bytes("1"), ABSENT).orElseThrow();
            for (String key : List.of("group/a/n1.example", "group/a/deeper/n_2")) {
                long revision = other.put(key, bytes("1"), ABSENT).orElseThrow();
                await("told of " + key, () -> told.remove(key) || told.remove("group/a/"));
                other.put(key, bytes("2"), revision).orElseThrow();
                await("told of the change of " + key, () -> told.remove(key) || told.remove("group/a/"));
            }
            one.put("group/a/own", bytes("1"), ABSENT).orElseThrow();
            await("told of the watcher's own change", () -> told.contains("group/a/own") || told.contains("group/a/"));
            assertThat(told).isSubsetOf("group/a/", "group/a/n1.example", "group/a/deeper/n_2", "group/a/own");
        }
    }

    /** No change falls between the return of watch and the first call. */
    @Test
    protected void aWatchSeesEverythingFromItsFirstMoment() {
        for (int round = 0; round < 10; round++) {
            String folder = "group/" + round + "/";
            Semaphore told = new Semaphore(0);
            try (CoordinationStore.Watch watching = one.watch(folder, key -> told.release())) {
                assertThat(watching).isNotNull();
                other.put(folder + "a", bytes("1"), ABSENT).orElseThrow();
                awaitTold(told, () -> !one.list(folder).isEmpty());
            }
        }
    }

    @Test
    protected void aClosedWatchIsSilent() {
        AtomicInteger calls = new AtomicInteger();
        Semaphore told = new Semaphore(0);
        CoordinationStore.Watch closed = one.watch("group/", key -> calls.incrementAndGet());
        try (CoordinationStore.Watch watching = one.watch("group/", key -> told.release())) {
            assertThat(watching).isNotNull();
            closed.close();
            closed.close();
            int before = calls.get();
            other.put("group/a", bytes("1"), ABSENT).orElseThrow();
            awaitTold(told, () -> one.get("group/a").isPresent());
            assertThat(calls.get()).isEqualTo(before);
        }
    }

    @Test
    protected void closingAClientTwiceIsHarmless() {
        CoordinationStore client = client(REQUEST_TIMEOUT);
        client.watch("group/", key -> {});
        client.close();
        client.close();
        assertThat(one.get("group/a")).isEmpty();
    }

    @Test
    protected void nothingIsMissedOverARestartOfTheServer() {
        RealServer server = serverToHurt();
        long revision = one.put("group/a", bytes("before"), ABSENT).orElseThrow();
        long deleted = one.put("group/deleted", bytes("before"), ABSENT).orElseThrow();
        assertThat(one.delete("group/deleted", deleted)).isTrue();
        Lease lease = one.openLease("group/members/n1", "n1:1", Duration.ofSeconds(60))
                .orElseThrow();
        Semaphore told = new Semaphore(0);
        try (CoordinationStore.Watch watching = other.watch("group/", key -> told.release())) {
            assertThat(watching).isNotNull();
            server.kill();
            server.start();
            whenBack(() -> one.put("group/b", bytes("after"), ABSENT));
            awaitTold(told, () -> whenBack(() -> other.get("group/b")).isPresent());
            assertThat(whenBack(() -> keysBelow("group/"))).containsExactly("group/a", "group/b");
            assertThat(one.get("group/a").orElseThrow().revision()).isEqualTo(revision);
            assertThat(whenBack(() -> other.leases("group/members/"))).containsEntry("group/members/n1", "n1:1");
            assertThat(whenBack(lease::renew)).isTrue();
            told.drainPermits();
            long changed = lease.put("group/a", bytes("changed"), revision).orElseThrow();
            assertThat(changed).isGreaterThan(revision);
            awaitTold(told, () -> other.get("group/a").orElseThrow().text().equals("changed"));
            assertThat(one.put("group/deleted", bytes("again"), ABSENT).orElseThrow())
                    .as("not a revision from before the restart")
                    .isGreaterThan(deleted);
        }
        lease.close();
        assertThat(other.leases("group/members/")).isEmpty();
    }

    @Test
    protected void aStoreThatIsKilledIsSaidToBeAwayAndComesBackByItself() {
        RealServer server = serverToHurt();
        awayAndBack(server::kill, server::start);
    }

    /** Connections stay open and nobody answers: the worst of it. */
    @Test
    protected void aStoreThatDoesNotAnswerIsSaidToBeAwayAndComesBackByItself() {
        RealServer server = serverToHurt();
        awayAndBack(server::pause, server::resume);
    }

    private void awayAndBack(Runnable away, Runnable back) {
        CoordinationStore client = client(Duration.ofMillis(500));
        long revision = client.put("group/a", bytes("before"), ABSENT).orElseThrow();
        Lease lease = client.openLease("group/members/n1", "n1:1", Duration.ofSeconds(60))
                .orElseThrow();
        away.run();
        try {
            saidToBeAway("get", () -> client.get("group/a"));
            saidToBeAway("list", () -> client.list("group/"));
            saidToBeAway("leases", () -> client.leases("group/"));
            saidToBeAway("put", () -> client.put("group/a", bytes("undecided"), revision));
            saidToBeAway("delete", () -> client.delete("group/b", 1));
            saidToBeAway("renew", lease::renew);
            saidToBeAway("put under a lease", () -> lease.put("group/c", bytes("undecided"), ABSENT));
            saidToBeAway("open a lease", () -> client.openLease("group/members/n2", "n2:1", ttl()));
        } finally {
            back.run();
        }
        Entry now = whenBack(() -> client.get("group/a")).orElseThrow();
        assertThat(now.text()).isIn("before", "undecided");
        assertThat(whenBack(lease::renew)).isTrue();
        await("a write that succeeds", () -> {
            long expected = client.get("group/a").orElseThrow().revision();
            return client.put("group/a", bytes("after"), expected).isPresent();
        });
        assertThat(other.get("group/a").orElseThrow().text()).isEqualTo("after");
        lease.close();
    }

    /** A store that tried again by itself would find its own first write in the way, and call that a refusal. */
    @Test
    protected void aWriteWhoseAnswerIsLostIsUndecidedAndNotRefused() {
        try (FaultProxy network = FaultProxy.inFrontOf(serverToHurt().port())) {
            CoordinationStore far = through(network);
            for (Fault fault : List.of(new Fault.Swallow(), new Fault.CutAfter(0))) {
                String key = "group/" + fault.getClass().getSimpleName();
                long revision =
                        whenBack(() -> far.put(key, bytes("before"), ABSENT)).orElseThrow();
                Entry now;
                int tries = 0;
                do {
                    // A server also sends what nobody asked for: then that is cut, and the write has not left yet.
                    network.set(Direction.TO_CLIENT, fault);
                    saidToBeAway("put", () -> far.put(key, bytes("undecided"), revision));
                    network.heal();
                    now = whenBack(() -> far.get(key)).orElseThrow();
                } while (now.revision() == revision && ++tries < 10);
                assertThat(now.text()).as("%s", fault).isEqualTo("undecided");
                assertThat(now.revision()).isGreaterThan(revision);
                assertThat(far.put(key, bytes("next"), now.revision())).isPresent();
            }
        }
    }

    @Test
    protected void aRenewalWhoseAnswerIsLostEndsNoLease() {
        try (FaultProxy network = FaultProxy.inFrontOf(serverToHurt().port())) {
            CoordinationStore far = through(network);
            Lease lease = far.openLease("group/members/n1", "n1:1", Duration.ofSeconds(60))
                    .orElseThrow();
            for (Fault fault : List.of(new Fault.Swallow(), new Fault.CutAfter(0))) {
                network.set(Direction.TO_CLIENT, fault);
                saidToBeAway("renew", lease::renew);
                network.heal();
                assertThat(whenBack(lease::renew)).as("%s", fault).isTrue();
            }
            assertThat(lease.put("group/a", bytes("1"), ABSENT)).isPresent();
            lease.close();
            assertThat(other.leases("group/members/")).isEmpty();
        }
    }

    @Test
    protected void aWatchMissesNothingOverACutConnection() {
        try (FaultProxy network = FaultProxy.inFrontOf(serverToHurt().port())) {
            CoordinationStore far = through(network);
            Semaphore told = new Semaphore(0);
            far.watch("group/", key -> told.release());
            for (int round = 0; round < 2; round++) {
                String key = "group/" + round;
                network.cut();
                one.put(key, bytes("1"), ABSENT).orElseThrow();
                told.drainPermits();
                network.heal();
                awaitTold(told, () -> whenBack(() -> far.get(key)).isPresent());
            }
        }
    }

    private CoordinationStore through(FaultProxy network) {
        Optional<CoordinationStore> far = openThrough(network.port(), Duration.ofSeconds(1));
        assumeTrue(far.isPresent(), "there is no network to hurt");
        clients.add(far.get());
        return far.get();
    }

    private static void saidToBeAway(String what, ThrowingCallable call) {
        long before = System.nanoTime();
        assertThatThrownBy(call).as(what).isInstanceOf(StoreUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).as(what).isLessThan(PATIENCE);
    }

    private RealServer serverToHurt() {
        Optional<RealServer> server = server();
        assumeTrue(server.isPresent(), "there is no server to hurt");
        return server.get();
    }
}
