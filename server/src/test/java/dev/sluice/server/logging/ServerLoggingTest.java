package dev.sluice.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.sluice.server.config.LogConfig;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ServerLoggingTest {
    private final Logger kafka = logger("org.apache.kafka.clients.NetworkClient");
    private final Logger ours = logger("dev.sluice");
    private final Level before = ours.getLevel();

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }

    @BeforeEach
    @AfterEach
    void asBefore() {
        kafka.setLevel(null);
        logger("org.apache.kafka").setLevel(null);
        ours.setLevel(before);
    }

    /** It warns several times a second while a broker is away; the outbox and the lanes say so once. */
    @Test
    void kafkasOwnWarningsOfBrokersThatAreAwayAreLeftOutUnlessAskedFor() {
        assertThat(kafka.isWarnEnabled()).isTrue();
        ServerLogging.apply(new LogConfig(LogConfig.Level.INFO, Map.of()));
        assertThat(kafka.isWarnEnabled()).isFalse();
        assertThat(kafka.isErrorEnabled()).isTrue();
        asBefore();
        ServerLogging.apply(new LogConfig(LogConfig.Level.INFO, Map.of("org.apache.kafka", LogConfig.Level.WARN)));
        assertThat(kafka.isWarnEnabled()).isTrue();
    }
}
