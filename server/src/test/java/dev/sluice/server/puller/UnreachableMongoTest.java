package dev.sluice.server.puller;

import static dev.sluice.server.puller.PullerSetup.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.sluice.capture.CaptureState;
import dev.sluice.capture.CaptureStatus;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.server.node.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A Puller whose MongoDB is away, with the default time limits. */
class UnreachableMongoTest {
    private static final Logger CAPTURE = (Logger) LoggerFactory.getLogger("dev.sluice.capture");

    @TempDir
    Path data;

    private final Lines lines = new Lines();

    @BeforeEach
    void listen() {
        lines.start();
        CAPTURE.setLevel(Level.INFO); // whatever the tests before this one set: the demo is quiet
        CAPTURE.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        CAPTURE.detachAppender(lines);
        CAPTURE.setLevel(null);
    }

    @Test
    void theCauseIsLoggedBeforeTheFirstCallGivesUpAndOnlyOnce() throws Exception {
        var port = PullerSetup.freePort();
        try (var role = new PullerSetup(data)
                .backend("unreachable", "mongodb://127.0.0.1:" + port + "/?replicaSet=rs0")
                .start()) {
            await("a warning", () -> !lines.warnings().isEmpty());
            assertThat(capture(role).counters().connectionFailures()).isZero();
            assertThat(capture(role).status()).isEqualTo(CaptureStatus.RETRYING);
            assertThat(capture(role).reason()).contains("127.0.0.1:" + port, "Connection refused");
            try (var mongo = DevMongo.builder().port(port).start()) {
                await("it is there", () -> capture(role).status() == CaptureStatus.HEALTHY);
                assertThat(mongo.port()).isEqualTo(port);
                assertThat(lines.warnings())
                        .singleElement()
                        .asString()
                        .contains("connection failed", "Connection refused");
            }
        }
    }

    @Test
    void aStopDoesNotWaitForASourceThatDoesNotAnswer() throws Exception {
        try (var mongo = DevMongo.builder().start()) {
            var role = new PullerSetup(data)
                    .backend("shop", mongo.connectionString())
                    .start();
            await("capture runs", () -> capture(role).status() == CaptureStatus.HEALTHY);
            mongo.script().stall();
            await("no reply comes", () -> capture(role).waiting().isPositive());
            var stopping = Thread.ofVirtual().start(role::close);
            assertThat(stopping.join(Duration.ofSeconds(13)))
                    .as("stopped before any time limit for a server that is away")
                    .isTrue();
        }
    }

    private static CaptureState capture(Node role) {
        return role.puller().backends().getFirst().capture();
    }

    /** What was logged, with its keys and values. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {
        private final List<ILoggingEvent> all = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent line) {
            all.add(line);
        }

        List<String> warnings() {
            return all.stream()
                    .filter(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                    .map(line -> line.getMessage() + " "
                            + line.getKeyValuePairs().stream()
                                    .map(Object::toString)
                                    .collect(Collectors.joining(" ")))
                    .filter(line -> line.contains("unreachable")) // other tests' Pullers log, too
                    .toList();
        }
    }
}
