package dev.sluice.testkit.contract;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Lease;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Of a coordination store: values change by compare-and-set only, and are found by prefix. */
abstract class CoordinationValuesContract extends CoordinationStoreClients {

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
            refused(prefix, () -> one.watch(prefix, key -> {}));
        }
        refused("no time", () -> one.openLease("group/m", "m:1", Duration.ZERO));
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
}
