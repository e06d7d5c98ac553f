package dev.sluice.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.testkit.servers.RealServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** The store of one test, two clients of it, {@code one} and {@code other}, and what the parts of its contract have in common. */
abstract class CoordinationStoreClients {
    static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);
    /** How long anything may take that is promised to happen by itself. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private static long begun;

    final List<CoordinationStore> clients = new ArrayList<>();
    CoordinationStore one;
    CoordinationStore other;

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

    CoordinationStore client(Duration requestTimeout) {
        CoordinationStore client = open(requestTimeout);
        clients.add(client);
        return client;
    }

    static void refused(String what, ThrowingCallable call) {
        assertThatThrownBy(call).as("'%s'", what).isInstanceOf(InvalidInputException.class);
    }

    List<String> keysBelow(String prefix) {
        return other.list(prefix).stream().map(Entry::key).toList();
    }

    CoordinationStore clientOf(int racer) {
        return racer % 2 == 0 ? one : other;
    }

    interface Racer<T> {
        T run(int number) throws Exception;
    }

    static <T> List<T> race(int racers, Racer<T> racer) throws Exception {
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
    static <T> T whenBack(Supplier<T> call) {
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

    static void await(String what, Supplier<Boolean> condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!whenBack(condition)) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            park(Duration.ofMillis(20));
        }
    }

    static void await(String what, Semaphore signal) {
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
    static void awaitTold(Semaphore told, Supplier<Boolean> condition) {
        do {
            await("to be told", told);
        } while (!condition.get());
    }

    static void park(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
