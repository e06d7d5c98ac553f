package dev.sluice.testkit.contract;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.faults.Direction;
import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.servers.RealServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * What every {@link CoordinationStore} promises. A test has the store for itself and two clients of it, {@code one} and
 * {@code other}. What needs a server to hurt is skipped where there is none.
 */
public abstract class CoordinationStoreContract {
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
    /** How long anything may take that is promised to happen by itself. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static long begun;

    private final List<CoordinationStore> clients = new ArrayList<>();
    private CoordinationStore one;
    private CoordinationStore other;

    /**
     * One more client of this test's store: all clients of a test see the same, those of another test nothing of it.
     *
     * @param requestTimeout after which its calls give up
     */
    protected abstract CoordinationStore open(Duration requestTimeout);

    /** The server behind, private to the class so that it may be killed; empty if the store is in this JVM. */
    protected abstract Optional<RealServer> server();

    /** A client that reaches that server by this port instead of its own; empty if there is no such way. */
    protected Optional<CoordinationStore> openThrough(int port, Duration requestTimeout) {
        return Optional.empty();
    }

    /** The shortest lease this store counts precisely. */
    protected Duration ttl() {
        return Duration.ofSeconds(1);
    }

    @BeforeAll
    static void begin() {
        begun = System.nanoTime();
    }

    @AfterAll
    static void sayHowLongItTook(TestInfo test) {
        System.out.printf(
                "%s: contract in %,d ms%n",
                test.getDisplayName(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    }

    @BeforeEach
    void openClients() {
        one = client(REQUEST_TIMEOUT);
        other = client(REQUEST_TIMEOUT);
    }

    @AfterEach
    void closeClients() {
        clients.forEach(CoordinationStore::close);
    }

    private CoordinationStore client(Duration requestTimeout) {
        CoordinationStore client = open(requestTimeout);
        clients.add(client);
        return client;
    }

    // ------------------------------------------------------------------------------------------------- values

    @Test
    protected void whatIsNotThereIsEmpty() {
        assertThat(one.get("group/leader")).isEmpty();
        assertThat(one.list("group/")).isEmpty();
        assertThat(one.leases("group/")).isEmpty();
        assertThat(one.delete("group/leader", ABSENT)).isFalse();
        assertThat(one.delete("group/leader", 7)).isFalse();
        assertThat(one.put("group/leader", bytes("x"), 7)).isEmpty();
        assertThat(one.get("group/leader")).isEmpty();
    }

    @Test
    protected void aKeyIsCreatedOnce() {
        long revision = one.put("group/leader", bytes("a"), ABSENT).orElseThrow();
        assertThat(revision).isPositive();
        assertThat(other.put("group/leader", bytes("b"), ABSENT)).isEmpty();
        Entry seen = other.get("group/leader").orElseThrow();
        assertThat(seen.text()).isEqualTo("a");
        assertThat(seen.revision()).isEqualTo(revision);
        assertThat(seen.key()).isEqualTo("group/leader");
    }

    @Test
    protected void onlyWhoKnowsTheRevisionWrites() {
        long first = one.put("group/a", bytes("1"), ABSENT).orElseThrow();
        long second = other.put("group/a", bytes("2"), first).orElseThrow();
        assertThat(second).isGreaterThan(first);
        assertThat(one.put("group/a", bytes("3"), first)).as("stale").isEmpty();
        assertThat(one.put("group/a", bytes("3"), second + 1)).as("made up").isEmpty();
        assertThat(one.put("group/a", bytes("3"), -1)).as("nonsense").isEmpty();
        assertThat(one.get("group/a").orElseThrow().text()).isEqualTo("2");
        assertThat(one.get("group/a").orElseThrow().revision()).isEqualTo(second);
    }

    @Test
    protected void theSameValueAgainIsANewRevision() {
        long first = one.put("group/a", bytes("1"), ABSENT).orElseThrow();
        long second = one.put("group/a", bytes("1"), first).orElseThrow();
        assertThat(second).isGreaterThan(first);
        assertThat(one.put("group/a", bytes("1"), first)).isEmpty();
    }

    @Test
    protected void onlyWhoKnowsTheRevisionDeletes() {
        long first = one.put("group/a", bytes("1"), ABSENT).orElseThrow();
        long second = one.put("group/a", bytes("2"), first).orElseThrow();
        assertThat(other.delete("group/a", first)).isFalse();
        assertThat(other.delete("group/a", ABSENT)).isFalse();
        assertThat(one.get("group/a")).isPresent();
        assertThat(other.delete("group/a", second)).isTrue();
        assertThat(one.get("group/a")).isEmpty();
        assertThat(one.list("group/")).isEmpty();
        assertThat(other.delete("group/a", second)).as("twice").isFalse();
    }

    @Test
    protected void aRevisionIsNeverGivenAgainAfterADelete() {
        long last = 0;
        for (int life = 0; life < 3; life++) {
            long created = one.put("group/a", bytes("1"), ABSENT).orElseThrow();
            assertThat(created).isGreaterThan(last);
            long changed = one.put("group/a", bytes("2"), created).orElseThrow();
            assertThat(changed).isGreaterThan(created);
            assertThat(one.delete("group/a", changed)).isTrue();
            assertThat(other.put("group/a", bytes("late"), changed))
                    .as("whoever missed the delete")
                    .isEmpty();
            last = changed;
        }
    }

    @Test
    protected void ofManyThatCreateExactlyOneDoes() throws Exception {
        List<OptionalLong> answers = race(16, n -> clientOf(n).put("group/leader", bytes("" + n), ABSENT));
        assertThat(answers).filteredOn(OptionalLong::isPresent).hasSize(1);
        int winner = IntStream.range(0, 16)
                .filter(n -> answers.get(n).isPresent())
                .findFirst()
                .orElseThrow();
        assertThat(one.get("group/leader").orElseThrow().text()).isEqualTo("" + winner);
    }

    @Test
    protected void noCountIsLostBetweenRacingWriters() throws Exception {
        int writers = 6;
        int each = 10;
        one.put("group/count", bytes("0"), ABSENT);
        Set<Long> revisions = ConcurrentHashMap.newKeySet();
        race(writers, n -> {
            for (int done = 0; done < each; ) {
                Entry before = clientOf(n).get("group/count").orElseThrow();
                byte[] next = bytes("" + (Integer.parseInt(before.text()) + 1));
                OptionalLong revision = clientOf(n).put("group/count", next, before.revision());
                if (revision.isPresent()) {
                    done++;
                    assertThat(revisions.add(revision.getAsLong()))
                            .as("a revision of its own")
                            .isTrue();
                }
            }
            return n;
        });
        assertThat(one.get("group/count").orElseThrow().text()).isEqualTo("" + writers * each);
    }

    @Test
    protected void ofRacingDeletesExactlyOneSucceeds() throws Exception {
        long revision = one.put("group/a", bytes("1"), ABSENT).orElseThrow();
        assertThat(race(8, n -> clientOf(n).delete("group/a", revision)))
                .filteredOn(deleted -> deleted)
                .hasSize(1);
    }

    @Test
    protected void valuesComeBackByteForByteUpToTheLimit() {
        byte[] largest = new byte[CoordinationStore.MAX_VALUE];
        new Random(4).nextBytes(largest);
        one.put("group/largest", largest, ABSENT).orElseThrow();
        one.put("group/empty", new byte[0], ABSENT).orElseThrow();
        byte[] every = new byte[256];
        IntStream.range(0, 256).forEach(n -> every[n] = (byte) n);
        one.put("group/every", every, ABSENT).orElseThrow();
        assertThat(other.get("group/largest").orElseThrow().value()).isEqualTo(largest);
        assertThat(other.get("group/empty").orElseThrow().value()).isEmpty();
        assertThat(other.get("group/every").orElseThrow().value()).isEqualTo(every);
        assertThat(other.list("group/"))
                .extracting(entry -> entry.value().length)
                .containsExactly(0, 256, CoordinationStore.MAX_VALUE);
    }

    @Test
    protected void aListMayHaveMegabytes() {
        byte[] largest = new byte[CoordinationStore.MAX_VALUE];
        for (int n = 0; n < 10; n++) {
            one.put("group/" + n, largest, ABSENT).orElseThrow();
        }
        assertThat(other.list("group/")).hasSize(10).allMatch(entry -> entry.value().length == largest.length);
    }

    @Test
    protected void aLargerValueIsRefusedAndChangesNothing() {
        byte[] tooLarge = new byte[CoordinationStore.MAX_VALUE + 1];
        assertThatThrownBy(() -> one.put("group/a", tooLarge, ABSENT)).isInstanceOf(InvalidInputException.class);
        Lease lease = one.openLease("group/m", "m:1", ttl()).orElseThrow();
        assertThatThrownBy(() -> lease.put("group/a", tooLarge, ABSENT)).isInstanceOf(InvalidInputException.class);
        assertThat(one.get("group/a")).isEmpty();
    }

    @Test
    protected void anArrayHandedOverOrReceivedIsNotTheStores() {
        byte[] value = bytes("abc");
        one.put("group/a", value, ABSENT);
        value[0] = 'X';
        one.get("group/a").orElseThrow().value()[1] = 'X';
        one.list("group/").getFirst().value()[2] = 'X';
        assertThat(one.get("group/a").orElseThrow().text()).isEqualTo("abc");
    }

    @Test
    protected void badKeysAndPrefixesAreRefusedAlike() {
        String long129 = "x".repeat(129);
        String deep = "a/".repeat(16) + "a";
        for (String key : List.of("", "/a", "a/", "a//b", "a b", ".hidden", "a/.b", "ä", "a*", "a>", long129, deep)) {
            refused(key, () -> one.get(key));
            refused(key, () -> one.put(key, bytes("1"), ABSENT));
            refused(key, () -> one.delete(key, 1));
            refused(key, () -> one.openLease(key, "m:1", ttl()));
        }
        for (String prefix : List.of("", "/", "a", "/a/", "a//", "a*/")) {
            refused(prefix, () -> one.list(prefix));
            refused(prefix, () -> one.leases(prefix));
            refused(prefix, () -> one.watch(prefix, () -> {}));
        }
        refused("no time", () -> one.openLease("group/m", "m:1", Duration.ZERO));
    }

    private static void refused(String what, ThrowingCallable call) {
        assertThatThrownBy(call).as("'%s'", what).isInstanceOf(InvalidInputException.class);
    }

    @Test
    protected void keysThatLookAlikeAreDifferent() {
        List<String> keys =
                List.of("a/b/c", "a.b/c", "a/b.c", "a-b/c", "a_b/c", "A/b/c", "a/B/c", "a/b/C", "a/b/c.", "a/b");
        for (String key : keys) {
            assertThat(one.put(key, bytes(key), ABSENT)).as(key).isPresent();
        }
        for (String key : keys) {
            assertThat(other.get(key).orElseThrow().text()).isEqualTo(key);
        }
        assertThat(keysBelow("a/b/")).containsExactly("a/b/C", "a/b/c", "a/b/c.");
        assertThat(keysBelow("a_b/")).containsExactly("a_b/c");
        assertThat(keysBelow("a.b/")).containsExactly("a.b/c");
    }

    @Test
    protected void theLongestKeyIsAKey() {
        String segment = "k".repeat(128);
        String longest = (segment + '/').repeat(15) + segment;
        long revision = one.put(longest, bytes("1"), ABSENT).orElseThrow();
        assertThat(one.put(longest.substring(0, longest.length() - 1) + "l", bytes("2"), ABSENT))
                .isPresent();
        assertThat(other.get(longest).orElseThrow().text()).isEqualTo("1");
        assertThat(keysBelow(segment + '/')).hasSize(2).contains(longest);
        Lease lease = one.openLease(longest, "m:1", ttl()).orElseThrow();
        assertThat(lease.put(longest, bytes("3"), revision)).isPresent();
        assertThat(other.leases(segment + '/')).containsExactly(Map.entry(longest, "m:1"));
    }

    @Test
    protected void aListHasWhatIsBelowThePrefixInOrder() {
        List<String> below = List.of("a/b/-", "a/b/0", "a/b/10", "a/b/2", "a/b/Z", "a/b/_", "a/b/deep/er", "a/b/z");
        List<String> beside = List.of("a/b", "a/b1/x", "a/b-/x", "a/b.c/x", "a/c/x", "a/a/x", "b/b/x", "a/bb/b/x");
        for (String key : below.reversed()) {
            one.put(key, bytes(key), ABSENT).orElseThrow();
        }
        for (String key : beside) {
            one.put(key, bytes(key), ABSENT).orElseThrow();
        }
        assertThat(keysBelow("a/b/")).isEqualTo(below);
        assertThat(keysBelow("a/b/deep/")).containsExactly("a/b/deep/er");
        assertThat(keysBelow("a/")).hasSize(below.size() + beside.size() - 1).contains("a/b");
        assertThat(other.list("a/b/")).allMatch(entry -> entry.text().equals(entry.key()));
        assertThat(other.list("a/b/"))
                .allMatch(entry -> one.get(entry.key()).orElseThrow().revision() == entry.revision());
    }

    @Test
    protected void aListOfHundredsIsWhole() throws Exception {
        race(4, n -> {
            for (int partition = n; partition < 256; partition += 4) {
                clientOf(n).put("group/claims/1/" + partition, bytes("" + partition), ABSENT);
            }
            return n;
        });
        assertThat(other.list("group/claims/1/"))
                .hasSize(256)
                .allMatch(entry -> entry.key().endsWith("/" + entry.text()));
    }

    private List<String> keysBelow(String prefix) {
        return other.list(prefix).stream().map(Entry::key).toList();
    }

    // ------------------------------------------------------------------------------------------------- leases

    @Test
    protected void ofTwoClientsOfOneIdTheSecondIsRefused() {
        Lease lease = one.openLease("group/members/n1", "n1:first", ttl()).orElseThrow();
        assertThat(other.openLease("group/members/n1", "n1:second", ttl())).isEmpty();
        assertThat(other.openLease("group/members/n1", "n1:second", ttl().multipliedBy(2)))
                .as("whatever its lifetime")
                .isEmpty();
        assertThat(other.openLease("group/members/n1", "n1:first", ttl()))
                .as("under the same holder name too")
                .isEmpty();
        assertThat(one.openLease("group/members/n1", "n1:first", ttl()))
                .as("and for the same client")
                .isEmpty();
        assertThat(other.leases("group/members/")).containsExactly(Map.entry("group/members/n1", "n1:first"));
        assertThat(lease.renew()).as("a refusal does the holder no harm").isTrue();
        assertThat(other.openLease("group/members/n2", "n2:first", ttl())).isPresent();
    }

    @Test
    protected void ofManyThatOpenALeaseExactlyOneDoes() throws Exception {
        List<Optional<Lease>> answers =
                race(12, n -> clientOf(n).openLease("group/members/n1", "n1:" + n, Duration.ofSeconds(30)));
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
            assertThat(one.openLease(name, "h:" + name, Duration.ofSeconds(30))).isPresent();
        }
        assertThat(other.leases("g/b/"))
                .containsExactly(Map.entry("g/b/10", "h:g/b/10"), Map.entry("g/b/2", "h:g/b/2"));
    }

    @Test
    protected void aClosedLeaseEndsAtOnceAndForGood() {
        Lease lease = one.openLease("group/members/n1", "n1:1", Duration.ofSeconds(30))
                .orElseThrow();
        lease.close();
        assertThat(other.leases("group/members/")).isEmpty();
        assertThat(lease.renew()).isFalse();
        assertThat(lease.put("group/a", bytes("late"), ABSENT)).isEmpty();
        Lease next = other.openLease("group/members/n1", "n1:2", Duration.ofSeconds(30))
                .orElseThrow();
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
        assertThat(other.leases("group/members/"))
                .as("closing a client is not leaving")
                .hasSize(1);
        assertThat(other.openLease("group/members/n1", "n1:2", ttl())).isEmpty();
        await("the end of the lease", () -> other.leases("group/members/").isEmpty());
        Duration lived = Duration.ofNanos(System.nanoTime() - before);
        System.out.printf("a lease of %s was seen gone after %,d ms%n", ttl(), lived.toMillis());
        assertThat(lived).isGreaterThan(ttl().minusMillis(50));
        assertThat(other.openLease("group/members/n1", "n1:2", ttl())).isPresent();
    }

    @Test
    protected void aRenewedLeaseLivesOn() {
        Lease lease = one.openLease("group/members/n1", "n1:1", ttl()).orElseThrow();
        long end = System.nanoTime() + ttl().multipliedBy(3).dividedBy(2).toNanos();
        long revision = ABSENT;
        while (System.nanoTime() < end) {
            assertThat(lease.renew()).isTrue();
            assertThat(other.leases("group/members/")).containsKey("group/members/n1");
            revision = lease.put("group/a", bytes("alive"), revision).orElseThrow();
            park(ttl().dividedBy(5));
        }
    }

    /** Neither its renewals nor its writes count any more, also when nobody came after it. */
    @Test
    protected void aClientPausedLongerThanItsLeaseFindsItEnded() {
        Lease lease = one.openLease("group/members/n1", "n1:1", ttl()).orElseThrow();
        long revision = lease.put("group/a", bytes("1"), ABSENT).orElseThrow();
        await("the end of the lease", () -> other.leases("group/members/").isEmpty());
        assertThat(lease.put("group/a", bytes("late"), revision)).isEmpty();
        assertThat(lease.renew()).isFalse();
        assertThat(lease.renew()).as("still").isFalse();
        assertThat(one.leases("group/members/")).as("not revived").isEmpty();
        Lease next = other.openLease("group/members/n1", "n1:2", ttl()).orElseThrow();
        assertThat(lease.renew()).isFalse();
        assertThat(lease.put("group/a", bytes("late"), revision)).isEmpty();
        lease.close();
        assertThat(next.renew()).isTrue();
        assertThat(next.put("group/a", bytes("2"), revision)).isPresent();
        assertThat(one.get("group/a").orElseThrow().text()).isEqualTo("2");
    }

    @Test
    protected void aPutUnderALeaseIsACompareAndSetToo() {
        Lease lease = one.openLease("group/members/n1", "n1:1", Duration.ofSeconds(30))
                .orElseThrow();
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
            Lease lease = one.openLease("group/members/n1", "n1:" + round, Duration.ofSeconds(30))
                    .orElseThrow();
            Semaphore going = new Semaphore(0);
            try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
                Future<?> writing = threads.submit(() -> {
                    long revision = ABSENT;
                    OptionalLong written = lease.put(key, bytes("" + revision), revision);
                    while (written.isPresent()) {
                        going.release();
                        revision = written.getAsLong();
                        written = lease.put(key, bytes("" + revision), revision);
                    }
                });
                assertThat(going.tryAcquire(3, 20, TimeUnit.SECONDS)).isTrue();
                lease.close();
                long atTheEnd = other.get(key).orElseThrow().revision();
                writing.get(20, TimeUnit.SECONDS);
                assertThat(other.get(key).orElseThrow().revision()).isEqualTo(atTheEnd);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------- watches

    @Test
    protected void aChangeByAnotherClientIsTold() {
        Semaphore told = new Semaphore(0);
        try (CoordinationStore.Watch watching = one.watch("group/", told::release)) {
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

    /** No change falls between the return of watch and the first call. */
    @Test
    protected void aWatchSeesEverythingFromItsFirstMoment() {
        for (int round = 0; round < 10; round++) {
            String folder = "group/" + round + "/";
            Semaphore told = new Semaphore(0);
            try (CoordinationStore.Watch watching = one.watch(folder, told::release)) {
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
        CoordinationStore.Watch closed = one.watch("group/", calls::incrementAndGet);
        try (CoordinationStore.Watch watching = one.watch("group/", told::release)) {
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
        client.watch("group/", () -> {});
        client.close();
        client.close();
        assertThat(one.get("group/a")).isEmpty();
    }

    // ------------------------------------------------------------------------------------------------- outages

    @Test
    protected void nothingIsMissedOverARestartOfTheServer() {
        RealServer server = serverToHurt();
        long revision = one.put("group/a", bytes("before"), ABSENT).orElseThrow();
        long deleted = one.put("group/deleted", bytes("before"), ABSENT).orElseThrow();
        assertThat(one.delete("group/deleted", deleted)).isTrue();
        Lease lease = one.openLease("group/members/n1", "n1:1", Duration.ofSeconds(60))
                .orElseThrow();
        Semaphore told = new Semaphore(0);
        try (CoordinationStore.Watch watching = other.watch("group/", told::release)) {
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
                network.set(Direction.TO_CLIENT, fault);
                saidToBeAway("put", () -> far.put(key, bytes("undecided"), revision));
                network.heal();
                Entry now = whenBack(() -> far.get(key)).orElseThrow();
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
            far.watch("group/", told::release);
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
        assertThat(Duration.ofNanos(System.nanoTime() - before)).as(what).isLessThan(Duration.ofSeconds(5));
    }

    private RealServer serverToHurt() {
        Optional<RealServer> server = server();
        assumeTrue(server.isPresent(), "there is no server to hurt");
        return server.get();
    }

    // ------------------------------------------------------------------------------------------------- how

    private CoordinationStore clientOf(int racer) {
        return racer % 2 == 0 ? one : other;
    }

    private interface Racer<T> {
        T run(int number) throws Exception;
    }

    private static <T> List<T> race(int racers, Racer<T> racer) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(racers)) {
            List<Callable<T>> calls = IntStream.range(0, racers)
                    .mapToObj(n -> (Callable<T>) () -> racer.run(n))
                    .collect(Collectors.toList());
            List<T> answers = new ArrayList<>();
            for (Future<T> answer : threads.invokeAll(calls)) {
                answers.add(answer.get());
            }
            return answers;
        }
    }

    /** What the store says once it is there again; until then it may say that it is away. */
    private static <T> T whenBack(Supplier<T> call) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return call.get();
            } catch (StoreUnavailableException away) {
                if (System.nanoTime() > deadline) {
                    throw away;
                }
                park(Duration.ofMillis(20));
            }
        }
    }

    private static void await(String what, Supplier<Boolean> condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!whenBack(condition)) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            park(Duration.ofMillis(20));
        }
    }

    private static void await(String what, Semaphore signal) {
        try {
            assertThat(signal.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as(what)
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Looks only when told to: a change that is not told is never seen. */
    private static void awaitTold(Semaphore told, Supplier<Boolean> condition) {
        do {
            await("to be told", told);
        } while (!condition.get());
    }

    private static void park(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
