package dev.sluice.server.streamer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What is logged under a name about one gateway while it is open; other tests of this process log there, too. */
final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final String gateway;
    private final Logger logger;
    private final @Nullable Level before;

    LogLines(String name, String gateway) {
        this.gateway = gateway;
        logger = (Logger) LoggerFactory.getLogger(name);
        before = logger.getLevel();
        logger.setLevel(Level.INFO);
        start();
        logger.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        var pairs = event.getKeyValuePairs();
        if (pairs != null
                && pairs.stream().anyMatch(pair -> pair.key.equals("gateway") && gateway.equals(pair.value))) {
            lines.add(event.getFormattedMessage());
        }
    }

    List<String> all() {
        return lines;
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(before);
    }
}
