package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.model.Operation;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.BsonTimestamp;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Another deployment, or a restored copy, answers at the address of the one that was captured. */
class ReplacedDeploymentTest {
    private static final Duration TIMEOUT = Duration.ofMillis(300);
    private static final Logger CAPTURE = (Logger) LoggerFactory.getLogger("dev.sluice.capture");

    private final Instant begin = Instant.now();
    private final AtomicLong seconds = new AtomicLong();

    private DevMongo another(Rig rig) {
        rig.server.close();
        return DevMongo.builder()
                .port(rig.server.port())
                .clock(() -> begin.plusSeconds(seconds.get()))
                .start();
    }

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        CAPTURE.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        CAPTURE.detachAppender(lines);
    }

    private long waits() {
        return lines.list.stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .filter(line -> line.getKeyValuePairs().toString().contains("is behind what was captured"))
                .count();
    }

    private Rig captured() {
        seconds.set(1000);
        Rig rig = Rig.start(builder -> builder.clock(() -> begin.plusSeconds(seconds.get())));
        rig.insert("orders", "a");
        return rig.untilLogged(1);
    }

    /** Its stream accepts the position, and hides everything up to it. */
    @Test
    void aDeploymentWhoseTimeIsBehindThePositionIsAResyncAsSoonAsItHasPassedIt() {
        try (Rig rig = captured()) {
            seconds.set(0);
            try (DevMongo behind = another(rig)) {
                rig.restart(settings -> settings.withTimes(settings.maxAwait(), TIMEOUT));
                rig.insert("orders", "hidden");
                rig.until(() -> rig.counters().gapsDetected() == 1);
                long failures = rig.counters().connectionFailures();
                rig.until(() -> {
                    behind.script().noop();
                    return rig.counters().connectionFailures() >= failures + 4;
                });
                assertThat(rig.operations()).containsExactly(Operation.INSERT);
                assertThat(waits()).as("said once, not at every attempt").isOne();
                seconds.set(2000);
                behind.script().noop();
                rig.until(() -> rig.operations().contains(Operation.RESYNC));
                rig.insert("orders", "b");
                rig.untilLogged(3);
                assertThat(rig.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
                assertThat(rig.documents()).containsExactly("a", "b");
                assertThat(rig.counters().gapsDetected()).isOne();
            }
        }
    }

    /** By the restart its time has passed the position, so that it looks like the one that was captured. */
    @Test
    void aRestartBetweenTheGapAndItsResyncDoesNotForgetIt() {
        try (Rig rig = captured()) {
            // A position between two events, which every deployment accepts.
            rig.script().noop();
            rig.steps(3).loop().close();
            seconds.set(0);
            try (DevMongo behind = another(rig)) {
                rig.restart(settings -> settings.withTimes(settings.maxAwait(), TIMEOUT));
                rig.until(() -> rig.counters().gapsDetected() == 1);
                rig.insert("orders", "hidden");
                seconds.set(2000);
                behind.script().noop();
                rig.restart().steps(3);
                rig.insert("orders", "b");
                rig.until(() -> rig.documents().contains("b"));
                assertThat(rig.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
            }
        }
    }

    /** Right after an election the majority's time may be behind a position that is valid. */
    @Test
    void anElectionAfterWhichTheMajorityIsBehindThePositionIsNoGap() {
        try (Rig rig = Rig.start()) {
            BsonTimestamp before = rig.script().newest();
            rig.insert("orders", "a");
            rig.untilLogged(1);
            rig.script().stepDown();
            rig.script().stepUp();
            rig.script().holdCommitted(before);
            rig.restart(settings -> settings.withTimes(settings.maxAwait(), TIMEOUT))
                    .steps(20);
            rig.script().holdCommitted(null);
            rig.insert("orders", "b");
            rig.untilLogged(2);
            assertThat(rig.documents()).containsExactly("a", "b");
            assertThat(rig.counters().gapsDetected()).isZero();
        }
    }

    /** Its history reaches back far enough, but the token's event is not in it: 280 from a server with an unchanged filter. */
    @Test
    void aDeploymentThatDoesNotKnowTheTokenIsAResync() {
        try (Rig rig = captured()) {
            seconds.set(0);
            try (DevMongo other = another(rig)) {
                seconds.set(2000);
                rig.insert("orders", "before the gap was noticed");
                rig.restart().until(() -> rig.operations().contains(Operation.RESYNC));
                rig.insert("orders", "b");
                rig.untilLogged(3);
                assertThat(rig.operations()).containsExactly(Operation.INSERT, Operation.RESYNC, Operation.INSERT);
                assertThat(rig.documents()).containsExactly("a", "b");
                assertThat(other.port()).isEqualTo(rig.server.port());
            }
        }
    }
}
