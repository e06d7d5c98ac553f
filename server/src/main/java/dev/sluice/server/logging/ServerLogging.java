package dev.sluice.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.sluice.server.config.LogConfig;
import org.slf4j.LoggerFactory;

/** Applies the {@code log} section: our own loggers at its level, libraries from warnings on unless they are named. */
public final class ServerLogging {
    /** Kept here, since java.util.logging forgets loggers nobody holds. Helidon logs there. */
    private static final java.util.logging.Logger HELIDON = java.util.logging.Logger.getLogger("io.helidon");

    /**
     * Warns, with a stack trace, of every client that ends its call while something is being sent to it, as an ended tail does.
     */
    private static final java.util.logging.Logger GRPC_CALLS =
            java.util.logging.Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler");

    /** Warns of every attempt to reach a broker that is away, several times a second; our own components say so once. */
    private static final String KAFKA_CONNECTIONS = "org.apache.kafka.clients.NetworkClient";

    private ServerLogging() {}

    public static void apply(LogConfig config) {
        HELIDON.setLevel(java.util.logging.Level.WARNING);
        GRPC_CALLS.setLevel(java.util.logging.Level.SEVERE);
        apply(config, (LoggerContext) LoggerFactory.getILoggerFactory());
    }

    /** To these loggers alone, not to those of java.util.logging. */
    public static void apply(LogConfig config, LoggerContext loggers) {
        if (config.levels().keySet().stream().noneMatch(KAFKA_CONNECTIONS::startsWith)) {
            loggers.getLogger(KAFKA_CONNECTIONS).setLevel(Level.ERROR);
        }
        loggers.getLogger("dev.sluice").setLevel(level(config.level()));
        config.levels().forEach((name, level) -> loggers.getLogger(name).setLevel(level(level)));
    }

    private static Level level(LogConfig.Level level) {
        return Level.toLevel(level.name());
    }
}
