package dev.sluice.testkit.contract;

import static dev.sluice.coordinate.CoordinationStore.ABSENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.Lease;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.coordinate.memory.InMemoryCoordinationStore;
import dev.sluice.testkit.process.ChildProcess;
import dev.sluice.testkit.process.ProcessSpec;
import dev.sluice.testkit.servers.RealServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PersistedCoordinationStoreTest extends CoordinationStoreContract {
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    Path directory;

    private InMemoryCoordinationStore store;

    @Override
    protected CoordinationStore open(Duration requestTimeout) {
        if (store == null) {
            store = InMemoryCoordinationStore.persisted(directory);
        }
        return store.anotherClient();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Override
    protected Optional<RealServer> server() {
        return Optional.empty();
    }

    @Override
    protected Duration ttl() {
        return Duration.ofMillis(200);
    }

    private void restart() {
        store.close();
        store = InMemoryCoordinationStore.persisted(directory);
    }

    private Path journal() {
        return directory.resolve("coordination.journal");
    }

    @Test
    void valuesSurviveTheProcessAndLeasesDoNot() {
        Lease lease =
                store.openLease("group/n1", "n1:1", Duration.ofSeconds(30)).orElseThrow();
        long kept = lease.put("group/kept", bytes("1"), ABSENT).orElseThrow();
        long gone = store.put("group/gone", bytes("2"), ABSENT).orElseThrow();
        assertThat(store.delete("group/gone", gone)).isTrue();
        restart();
        assertThat(store.list("group/")).extracting(Entry::text).containsExactly("1");
        assertThat(store.leases("group/")).isEmpty();
        assertThat(store.put("group/kept", bytes("3"), kept)).isPresent();
        assertThat(store.openLease("group/n1", "n1:2", Duration.ofSeconds(30))).isPresent();
    }

    /** The revision of the deletion is nowhere but in the head of the new file. */
    @Test
    void aRevisionIsNotGivenAgainAfterRestarts() {
        long revision = store.put("group/a", bytes("1"), ABSENT).orElseThrow();
        assertThat(store.delete("group/a", revision)).isTrue();
        restart();
        restart();
        assertThat(store.put("group/a", bytes("2"), ABSENT).orElseThrow()).isGreaterThan(revision);
    }

    /** Wherever a crash cuts the last record, the ones before it are whole. */
    @Test
    void aTornTailIsDroppedAtEveryByte() throws IOException {
        long revision = store.put("group/a", bytes("first"), ABSENT).orElseThrow();
        long whole = Files.size(journal());
        store.put("group/a", bytes("torn"), revision);
        store.close();
        byte[] written = Files.readAllBytes(journal());
        for (int length = (int) whole; length < written.length; length++) {
            Files.write(journal(), Arrays.copyOf(written, length));
            restart();
            Entry found = store.get("group/a").orElseThrow();
            assertThat(found.text()).as("cut at %d", length).isEqualTo("first");
            assertThat(store.put("group/a", bytes("next"), found.revision())).isPresent();
            restart();
            assertThat(store.get("group/a").orElseThrow().text()).isEqualTo("next");
        }
        Files.write(journal(), Arrays.copyOf(Arrays.copyOf(written, (int) whole), written.length));
        restart();
        assertThat(store.get("group/a").orElseThrow().text())
                .as("the file grew, its bytes did not come")
                .isEqualTo("first");
    }

    /** No crash does that: whoever opens it must not believe the rest. */
    @Test
    void damageInTheMiddleIsRefusedAndLeftAsItIs() throws IOException {
        store.put("group/a", bytes("first"), ABSENT);
        long middle = Files.size(journal());
        store.put("group/b", bytes("second"), ABSENT);
        store.close();
        byte[] damaged = Files.readAllBytes(journal());
        damaged[(int) middle - 2] ^= 1;
        Files.write(journal(), damaged);
        assertThatThrownBy(() -> InMemoryCoordinationStore.persisted(directory))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("damaged");
        assertThat(journal()).hasBinaryContent(damaged);
    }

    @Test
    void oneProcessAtATimeHasItOpen() {
        assertThatThrownBy(() -> InMemoryCoordinationStore.persisted(directory))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("Another process");
        restart();
        assertThat(store.list("group/")).isEmpty();
    }

    @Test
    void whoHasClosedItWritesNothingMore() {
        CoordinationStore late = open(SOON);
        late.put("a/b", bytes("1"), ABSENT);
        store.close();
        try (CoordinationStore next = InMemoryCoordinationStore.persisted(directory)) {
            assertThatThrownBy(() -> late.put("a/c", bytes("2"), ABSENT)).isInstanceOf(StoreUnavailableException.class);
            next.put("a/d", bytes("3"), ABSENT);
        }
        store = InMemoryCoordinationStore.persisted(directory);
        assertThat(store.list("a/")).extracting(Entry::key).containsExactly("a/b", "a/d");
    }

    @Test
    void theFileStaysSmallHoweverMuchIsWritten() throws IOException {
        byte[] value = new byte[100_000];
        long revision = ABSENT;
        long largest = 0;
        for (int n = 0; n < 60; n++) {
            value[0] = (byte) n;
            revision = store.put("group/a", value, revision).orElseThrow();
            largest = Math.max(largest, Files.size(journal()));
        }
        assertThat(largest).isLessThan(2_000_000);
        restart();
        assertThat(store.get("group/a").orElseThrow().value()).isEqualTo(value);
        assertThat(store.get("group/a").orElseThrow().revision()).isEqualTo(revision);
    }

    /** An interrupt closes the file under the writer, which is as good as a disk that fails. */
    @Test
    void afterAFailedWriteItGoesOnByItself() throws IOException {
        long revision = store.put("group/a", bytes("1"), ABSENT).orElseThrow();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> store.put("group/a", bytes("2"), revision))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(Thread.interrupted()).isTrue();
        Path inTheWay = Files.createDirectories(directory.resolve("coordination.journal.new/x"));
        assertThatThrownBy(() -> store.put("group/a", bytes("2"), revision))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(store.get("group/a").orElseThrow().text()).isEqualTo("1");
        Files.delete(inTheWay);
        Files.delete(inTheWay.getParent());
        assertThat(store.put("group/a", bytes("3"), revision)).isPresent();
        restart();
        assertThat(store.get("group/a").orElseThrow().text()).isEqualTo("3");
    }

    @Test
    void whatWasAcknowledgedSurvivesKill9() throws IOException {
        store.close();
        Random random = new Random();
        Pattern said = Pattern.compile("key (\\d) is (\\d+)\\R");
        try (ChildProcess writer = ChildProcess.start(
                ProcessSpec.java("writes-until-killed", WritesUntilKilled.class.getName(), directory.toString()))) {
            // Not only what the writer said: a write that it could not tell of any more counts in the next round.
            Map<Integer, Integer> known = new HashMap<>();
            for (int round = 0; round < 4; round++) {
                long from = writer.logPosition();
                writer.awaitLineAfter(from, "key 0 is \\d*" + random.nextInt(10) + "$", SOON);
                writer.kill9();
                said.matcher(Files.readString(writer.log(), UTF_8)).results().forEach(line -> note(line, known));
                store = InMemoryCoordinationStore.persisted(directory);
                known.replaceAll(this::stored);
                System.out.printf("killed at %s, all there%n", known);
                store.close();
                writer.restart();
            }
        }
    }

    private static void note(MatchResult line, Map<Integer, Integer> known) {
        known.merge(Integer.valueOf(line.group(1)), Integer.valueOf(line.group(2)), Math::max);
    }

    private int stored(int key, int known) {
        int count = WritesUntilKilled.count(store.get("group/" + key).orElseThrow());
        assertThat(count).as("key %d", key).isBetween(known, known + 1);
        return count;
    }
}
