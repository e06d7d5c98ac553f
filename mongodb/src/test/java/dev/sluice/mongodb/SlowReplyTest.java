package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.devmongo.DevMongo;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A server that works on one reply for longer than any timeout for a dead one. */
class SlowReplyTest {
    private static final Duration MAX_AWAIT = Duration.ofMillis(50);
    /** Long enough for a machine that is busy elsewhere: heartbeats and connections have it too. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final int REJECTED = 100;
    /** All of them together take longer than the timeout. */
    private static final Duration PER_ENTRY = Duration.ofMillis(23);
    /** All of them together take longer than this limit at first, and then not any more. */
    private static final Duration REPLY_LIMIT = Duration.ofMillis(300);

    private static final Duration PER_ENTRY_OF_LIMIT = Duration.ofMillis(7);

    @Test
    void aResumeOverALongStretchThatTheFilterRejectsGetsThrough() {
        try (Rig rig = withoutAudit()) {
            rig.script().preload(Rig.DATABASE, "audit", REJECTED, 50);
            rig.insert("orders", "behind them");
            rig.script().slowScan(PER_ENTRY);
            rig.restart().untilLogged(1);
            assertThat(rig.documents()).containsExactly("behind them");
            assertThat(rig.counters().connectionFailures()).isZero();
        }
    }

    @Test
    void rejectedWritesUnderAnOpenStreamDoNotStopIt() {
        try (Rig rig = withoutAudit()) {
            rig.steps(2);
            rig.script().slowScan(PER_ENTRY);
            rig.script().preload(Rig.DATABASE, "audit", REJECTED, 50);
            rig.insert("orders", "behind them");
            rig.untilLogged(1);
            assertThat(rig.documents()).containsExactly("behind them");
            assertThat(rig.counters().connectionFailures()).isZero();
        }
    }

    /** A reply without end, of a server that is alive: nothing else tells it from a connection that was lost on the way. */
    @Test
    void aReplyBeyondTheLimitIsAskedForAgainWithMoreTime() {
        try (Rig rig = withoutAudit()) {
            rig.script().preload(Rig.DATABASE, "audit", REJECTED, 50);
            rig.insert("orders", "behind them");
            rig.script().slowScan(PER_ENTRY_OF_LIMIT);
            rig.restart(settings -> settings.withReplyLimit(REPLY_LIMIT));
            rig.steps(1);
            assertThat(rig.loop().state().reason()).contains("from a server that is alive");
            rig.untilLogged(1);
            assertThat(rig.documents()).containsExactly("behind them");
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    /** Nobody waits for the reply of a source when the process stops; until then the wait is visible. */
    @Test
    void aStopDoesNotWaitForTheReply() throws InterruptedException {
        try (Rig rig = withoutAudit()) {
            rig.script().slowScan(Duration.ofSeconds(5));
            rig.script().preload(Rig.DATABASE, "audit", REJECTED, 50);
            Thread stepping = Thread.ofVirtual().start(() -> rig.steps(3));
            long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (rig.loop().state().waiting().isZero() && System.nanoTime() < deadline) {
                stepping.join(Duration.ofMillis(5));
            }
            assertThat(rig.loop().state().waiting()).isPositive();
            rig.stopWaiting();
            assertThat(stepping.join(Duration.ofSeconds(30))).isTrue();
            assertThat(rig.counters().connectionFailures()).isZero();
        }
    }

    private static Rig withoutAudit() {
        return new Rig(DevMongo.builder())
                .restart(settings ->
                        settings.withFilter(CollectionFilter.excluding("audit")).withTimes(MAX_AWAIT, TIMEOUT))
                .opened();
    }
}
