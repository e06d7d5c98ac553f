package dev.sluice.jdbc;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.StoreUnavailableException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JdbcValuesTest {
    private static final String KEY = "test/counter";

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    /** Runs it on so many threads at once and gives back what all of them said. */
    static <T> List<T> together(int threads, Callable<T> work) throws Exception {
        try (var executor = Executors.newFixedThreadPool(threads)) {
            List<Future<T>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                results.add(executor.submit(work));
            }
            List<T> all = new ArrayList<>();
            for (Future<T> result : results) {
                all.add(result.get());
            }
            return all;
        }
    }

    @ParameterizedTest
    @EnumSource
    void twoNodesThatRaceLoseNoIncrement(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.ready();
                var one = new JdbcCoordinationStore(pool);
                var two = new JdbcCoordinationStore(pool)) {
            List<Long> refused = together(4, () -> {
                CoordinationStore store = Thread.currentThread().threadId() % 2 == 0 ? one : two;
                long lost = 0;
                for (int done = 0; done < 50; ) {
                    if (increment(store)) {
                        done++;
                    } else {
                        lost++;
                    }
                }
                return lost;
            });
            assertThat(one.get(KEY).orElseThrow().text()).isEqualTo("200");
            System.out.println(database + ": 200 increments, refused " + refused);
        }
    }

    private static boolean increment(CoordinationStore store) {
        return store.get(KEY)
                .map(entry -> store.put(KEY, bytes(Long.parseLong(entry.text()) + 1), entry.revision()))
                .orElseGet(() -> store.put(KEY, bytes(1), ABSENT))
                .isPresent();
    }

    @ParameterizedTest
    @EnumSource
    void noRevisionIsGivenTwiceWhileNodesCreateAndDeleteTheSameKeys(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool)) {
            ConcurrentSkipListSet<Long> given = new ConcurrentSkipListSet<>();
            together(4, () -> {
                for (int i = 0; i < 40; i++) {
                    OptionalLong created = store.put(KEY, bytes(i), ABSENT);
                    created.ifPresent(
                            revision -> assertThat(given.add(revision)).isTrue());
                    store.get(KEY).ifPresent(entry -> store.delete(KEY, entry.revision()));
                }
                return 0;
            });
            assertThat(given).hasSizeGreaterThan(10);
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofManyThatCreateOneSucceeds(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool)) {
            List<OptionalLong> results = together(8, () -> store.put(KEY, bytes(1), ABSENT));
            assertThat(results.stream().filter(OptionalLong::isPresent)).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachOfSeveralWatchesIsToldWhatOthersChange(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.ready();
                var one = new JdbcCoordinationStore(pool);
                var two = new JdbcCoordinationStore(pool)) {
            var a = new Semaphore(0);
            var b = new Semaphore(0);
            try (var watchOfA = one.watch("a/", key -> a.release());
                    var watchOfB = one.watch("b/", key -> b.release())) {
                assertThat(watchOfA).isNotSameAs(watchOfB);
                assertThat(a.tryAcquire(20, TimeUnit.SECONDS))
                        .as("told at first")
                        .isTrue();
                assertThat(b.tryAcquire(20, TimeUnit.SECONDS))
                        .as("told at first")
                        .isTrue();
                two.put("a/x", bytes(1), ABSENT);
                assertThat(a.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
                two.put("b/x", bytes(1), ABSENT);
                assertThat(b.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void keysThatDifferOnlyInCaseAreTwoAndUnderscoresAreNoWildcards(TestDatabase database) {
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool)) {
            for (String key : List.of("a_b/x", "a_b/X", "aXb/x", "a_b-/x", "a_b/x/y", "a_b0/x")) {
                assertThat(store.put(key, bytes(1), ABSENT)).isPresent();
            }
            assertThat(store.list("a_b/"))
                    .extracting(entry -> entry.key())
                    .containsExactly("a_b/X", "a_b/x", "a_b/x/y");
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLongestKeyAndTheLargestValueFit(TestDatabase database) {
        String key = String.join("/", java.util.Collections.nCopies(16, "k".repeat(128)));
        byte[] value = new byte[CoordinationStore.MAX_VALUE];
        value[value.length - 1] = (byte) 0xff;
        try (HikariDataSource pool = database.ready();
                var store = new JdbcCoordinationStore(pool)) {
            long revision = store.put(key, value, ABSENT).orElseThrow();
            assertThat(store.get(key).orElseThrow().value()).isEqualTo(value);
            assertThat(store.delete(key, revision)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theTablesCanBeCreatedByManyNodesAtOnceAndAgain(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl())) {
            together(4, () -> {
                JdbcCoordinationStore.createTables(pool);
                return 0;
            });
            try (var store = new JdbcCoordinationStore(pool)) {
                long revision = store.put(KEY, bytes(1), ABSENT).orElseThrow();
                store.delete(KEY, revision);
                JdbcCoordinationStore.createTables(pool);
                assertThat(store.put(KEY, bytes(1), ABSENT)).hasValue(revision + 1);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutTablesTheErrorSaysHowToCreateThem(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl());
                var store = new JdbcCoordinationStore(pool)) {
            assertThatThrownBy(() -> store.get(KEY))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("createTables");
        }
    }
}
