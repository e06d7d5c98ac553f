package dev.sluice.server.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FencingToken;
import org.junit.jupiter.api.Test;

/** The witness can say no: each thing that must not happen, done once. */
class FencedCountersTest {
    private static final long RELEASE = 100;
    private final FencedCounters counters = new FencedCounters(RELEASE);
    private long now = 1;

    @Test
    void ordinaryOwnershipsAreFineAndAreMeasured() {
        assertThat(take(1, "A", 0)).isTrue();
        assertThat(write(1, "A", 1)).isTrue();
        now = 50;
        assertThat(write(1, "A", 2)).isTrue();
        give(1, "A");
        now = 60;
        assertThat(take(2, "B", 2)).isTrue();
        now = 70;
        assertThat(write(2, "B", 3)).isTrue();
        assertThat(counters.violations()).isEmpty();
        assertThat(counters.changes()).singleElement().satisfies(change -> {
            assertThat(change.planned()).isTrue();
            assertThat(change.firstWrite() - change.lastWrite()).isEqualTo(20);
        });
    }

    @Test
    void aStaleWriteAndAStaleStartAreRefused() {
        take(2, "B", 0);
        assertThat(write(1, "A", 1)).isFalse();
        assertThat(take(1, "A", 0)).isFalse();
        assertThat(counters.violations()).isEmpty();
        assertThat(counters.sums()).contains("2 stale ones refused");
    }

    @Test
    void afterACrashAnOwnerMayRepeatWhatWasNotSaved() {
        take(1, "A", 0);
        write(1, "A", 1);
        write(1, "A", 2);
        take(2, "B", 1);
        assertThat(write(2, "B", 2)).isTrue();
        assertThat(counters.violations()).isEmpty();
        assertThat(counters.sums()).contains("1 of them repeats");
    }

    @Test
    void twoOwnershipsUnderOneTokenAreFound() {
        take(1, "A", 0);
        take(1, "B", 0);
        assertViolation("two ownerships under one token");
    }

    @Test
    void aWriteUnderSomebodyElsesTokenIsFound() {
        take(1, "A", 0);
        write(1, "B", 1);
        assertViolation("writes under the token of A");
    }

    @Test
    void aStartBehindTheCounterIsFound() {
        take(1, "A", 0);
        write(1, "A", 1);
        take(2, "B", 2);
        assertViolation("the counter is only at 1");
    }

    @Test
    void aStartBeforeAnEarlierOneIsFound() {
        take(1, "A", 0);
        write(1, "A", 1);
        take(2, "B", 1);
        take(3, "C", 0);
        assertViolation("starts at 0, before it B#0 under 1.2 at 1");
    }

    @Test
    void afterAReleaseAStartElsewhereIsFound() {
        take(1, "A", 0);
        write(1, "A", 1);
        write(1, "A", 2);
        give(1, "A");
        take(2, "B", 1);
        assertViolation("its donor ended at 2");
    }

    @Test
    void longAfterAReleaseThatMayHaveFailedARepeatIsFine() {
        take(1, "A", 0);
        write(1, "A", 1);
        give(1, "A");
        now += RELEASE;
        take(2, "B", 0);
        assertThat(counters.violations()).isEmpty();
    }

    @Test
    void aWriteThatLeavesOneOutIsFound() {
        take(1, "A", 0);
        write(1, "A", 2);
        assertViolation("writes 2 instead of 1");
    }

    @Test
    void aWriteUnderATokenNobodyPresentedIsFound() {
        take(1, "A", 0);
        write(2, "B", 1);
        assertViolation("without having presented it");
    }

    private void assertViolation(String what) {
        assertThat(counters.violations()).singleElement().asString().contains(what);
    }

    private boolean take(long epoch, String process, long position) {
        return counters.take(now, 7, new FencingToken(1, epoch), process, 0, position);
    }

    private boolean write(long epoch, String process, long value) {
        return counters.write(now, 7, new FencingToken(1, epoch), process, 0, value);
    }

    private void give(long epoch, String process) {
        counters.give(now, 7, new FencingToken(1, epoch), process, 0);
    }
}
