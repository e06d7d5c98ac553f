package dev.sluice.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import dev.sluice.server.config.LogConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerLoggingTest {
    /** It warns several times a second while a broker is away; the outbox and the lanes say so once. */
    @Test
    void kafkasOwnWarningsOfBrokersThatAreAwayAreLeftOutUnlessAskedFor() {
        assertThat(new LoggerContext().getLogger("org.apache.kafka").isWarnEnabled())
                .isTrue();
        var usual = kafka(Map.of());
        assertThat(usual.isWarnEnabled()).isFalse();
        assertThat(usual.isErrorEnabled()).isTrue();
        assertThat(kafka(Map.of("org.apache.kafka", LogConfig.Level.WARN)).isWarnEnabled())
                .isTrue();
    }

    private static Logger kafka(Map<String, LogConfig.Level> levels) {
        var loggers = new LoggerContext();
        ServerLogging.apply(new LogConfig(LogConfig.Level.INFO, levels), loggers);
        return loggers.getLogger("org.apache.kafka.clients.NetworkClient");
    }
}
