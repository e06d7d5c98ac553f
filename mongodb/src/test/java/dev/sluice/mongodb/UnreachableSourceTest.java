package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.capture.CaptureStatus;
import dev.sluice.capture.SourceException;
import dev.sluice.capture.SourceFailure;
import dev.sluice.capture.StartPoint;
import dev.sluice.checkpoint.Checkpoint;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How a source that cannot be reached, or not like this, is reported. */
class UnreachableSourceTest {
    private static final Duration MAX_AWAIT = Duration.ofMillis(50);
    /** Long enough for a machine that is busy elsewhere: what is found out later is not said. */
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @Test
    void aRefusedConnectionIsSaidToBeRefused() {
        SourceFailure failure = failureOf("mongodb://127.0.0.1:1/");
        assertThat(failure).isInstanceOf(SourceFailure.Retryable.class);
        assertThat(failure.detail())
                .contains("127.0.0.1:1", "Connection refused")
                .doesNotContain("Client view");
        assertThat(failure.detail().length()).isLessThan(200);
    }

    @Test
    void aHostThatDoesNotResolveIsNamed() {
        assertThat(failureOf("mongodb://nowhere.invalid:27017/").detail())
                .contains("nowhere.invalid:27017", "UnknownHost")
                .doesNotContain("Client view");
    }

    @Test
    void aWrongReplicaSetNameIsAConfigurationErrorThatSaysBothNames() {
        try (Rig rig = Rig.start()) {
            SourceFailure failure = failureOf("mongodb://" + rig.server.address() + "/?replicaSet=orders");
            assertThat(failure).isInstanceOf(SourceFailure.Misconfigured.class);
            assertThat(failure.detail()).contains("'rs0'", "'orders'", "replicaSet");
        }
    }

    private static SourceFailure failureOf(String connection) {
        try (MongoChangeSource source = new MongoChangeSource(
                MongoSourceSettings.of(connection, Rig.DATABASE).withTimes(MAX_AWAIT, TIMEOUT))) {
            return catchThrowableOfType(SourceException.class, () -> source.open(new StartPoint.Now()))
                    .failure();
        }
    }

    /** Closing the cursor of a server that is away must not hold up the news. */
    @Test
    void anOutageIsReportedAtOnce() throws InterruptedException {
        try (Rig rig = Rig.start()) {
            rig.restart(settings -> settings.withTimes(MAX_AWAIT, Duration.ofSeconds(5)))
                    .steps(4);
            rig.script().kill();
            Thread stepping = Thread.ofVirtual().start(() -> rig.steps(1));
            long deadline = System.nanoTime() + Duration.ofSeconds(4).toNanos();
            while (rig.loop().state().status() != CaptureStatus.RETRYING && System.nanoTime() < deadline) {
                stepping.join(Duration.ofMillis(5));
            }
            assertThat(rig.loop().state().status()).isEqualTo(CaptureStatus.RETRYING);
            stepping.join();
        }
    }

    /** Only the primary knows how far back its oplog reaches. */
    @Test
    void theReadPreferenceOfTheConnectionDoesNotDecideWhereTheOplogIsRead() {
        try (Rig rig = Rig.start()) {
            rig.restart(settings -> MongoSourceSettings.of(
                            rig.server.connectionString() + "&readPreference=secondary", Rig.DATABASE)
                    .withTimes(settings.maxAwait(), TIMEOUT));
            rig.insert("orders", "a");
            rig.untilLogged(1);
            assertThat(rig.counters().connectionFailures()).isZero();
        }
    }

    @Test
    void anOplogThatRolledOverIsNotTakenForAnotherDeployment() {
        try (Rig rig = Rig.start()) {
            Checkpoint position = rig.log.state().checkpoint();
            rig.insert("orders", "lost");
            rig.script().rollOplogOver();
            try (MongoChangeSource source = new MongoChangeSource(rig.settings)) {
                SourceFailure failure = catchThrowableOfType(
                                SourceException.class, () -> source.open(new StartPoint.After(position)))
                        .failure();
                assertThat(failure).isInstanceOf(SourceFailure.HistoryLost.class);
                assertThat(failure.detail()).contains("oplog begins at").doesNotContain("deployment");
            }
        }
    }
}
