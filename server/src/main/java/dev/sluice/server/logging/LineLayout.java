package dev.sluice.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.regex.Pattern;
import org.slf4j.event.KeyValuePair;

/**
 * {@code time LEVEL component message key=value …}, one line per event. Only an error brings its stack trace: what is
 * retried says its reason in one line. A password in a connection string never gets out, whoever logs it.
 */
public final class LineLayout extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneId.systemDefault());
    private static final Pattern USER_INFO = Pattern.compile("(\\w+://)[^\\s/@]+@");
    private static final Pattern PLAIN = Pattern.compile("[^\\s\"=]+");

    /** Drivers quote a server's whole answer; the beginning says it. */
    private static final int LONGEST = 240;

    @Override
    public String doLayout(ILoggingEvent event) {
        var line = new StringBuilder(160)
                .append(TIME.format(Instant.ofEpochMilli(event.getTimeStamp())))
                .append(String.format(" %-5s %-9s ", event.getLevel(), component(event.getLoggerName())))
                .append(event.getFormattedMessage());
        if (event.getKeyValuePairs() != null) {
            event.getKeyValuePairs().forEach(pair -> append(line, pair));
        }
        if (event.getThrowableProxy() != null && event.getLevel().isGreaterOrEqual(Level.ERROR)) {
            line.append('\n')
                    .append(ThrowableProxyUtil.asString(event.getThrowableProxy())
                            .stripTrailing());
        }
        return USER_INFO.matcher(line).replaceAll("$1***@") + "\n";
    }

    /** The last part of the logger's name. */
    private static String component(String logger) {
        return logger.substring(logger.lastIndexOf('.') + 1);
    }

    private static void append(StringBuilder line, KeyValuePair pair) {
        var whole = String.valueOf(pair.value).lines().findFirst().orElse("");
        var value = whole.length() <= LONGEST ? whole : whole.substring(0, LONGEST) + "…";
        var quote = PLAIN.matcher(value).matches() ? "" : "\"";
        line.append("  ")
                .append(pair.key)
                .append('=')
                .append(quote)
                .append(value)
                .append(quote);
    }
}
