package dev.sluice.outbox.relay;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import org.slf4j.LoggerFactory;

/**
 * What a class logs at INFO and above, as {@code LEVEL message}, until it is closed. Other tests run beside: only some events
 * are taken, and the level stays.
 */
final class LoggedLines implements AutoCloseable {
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final AppenderBase<ILoggingEvent> appender;

    private LoggedLines(Class<?> by, Predicate<ILoggingEvent> taken) {
        this.logger = (Logger) LoggerFactory.getLogger(by);
        this.appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (taken.test(event)) {
                    lines.add(event.getLevel() + " " + event.getFormattedMessage());
                }
            }
        };
        logger.setLevel(Level.INFO);
        appender.start();
        logger.addAppender(appender);
    }

    /** What it logs on the thread of this call. */
    static LoggedLines ofThisThread(Class<?> by) {
        Thread thread = Thread.currentThread();
        return new LoggedLines(by, event -> Thread.currentThread() == thread);
    }

    /** What it logs, on any thread, in lines that contain this text. */
    static LoggedLines containing(String text, Class<?> by) {
        return new LoggedLines(by, event -> event.getFormattedMessage().contains(text));
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
