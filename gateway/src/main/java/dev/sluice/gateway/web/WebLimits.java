package dev.sluice.gateway.web;

import dev.sluice.model.InvalidInputException;
import java.time.Duration;

/**
 * What end users may take of the server.
 *
 * @param connections at a time; the next is refused
 * @param connectionsPerAddress of one IP address; behind a proxy, which has one address, as many as {@code connections}
 * @param subscriptionsPerConnection of one WebSocket
 * @param messageBytes of one message from an end user
 * @param queuedMessages waiting for one connection; one that falls further behind is cut off
 * @param queuedBytes of those messages; a single one may have more
 * @param queuedBytesInAll waiting for all connections, an event that waits for many of them counted once; beyond it, the
 *     connection for which most waits is cut off. A single message, when nothing else waits, may have more
 * @param ping how often an idle connection hears from us, which tells who has gone
 */
public record WebLimits(
        int connections,
        int connectionsPerAddress,
        int subscriptionsPerConnection,
        int messageBytes,
        int queuedMessages,
        int queuedBytes,
        long queuedBytesInAll,
        Duration ping) {
    public static final WebLimits DEFAULT =
            new WebLimits(10_000, 100, 100, 64 << 10, 1_000, 4 << 20, 128L << 20, Duration.ofSeconds(10));

    /** With the usual bound on what waits for all connections together. */
    public WebLimits(
            int connections,
            int connectionsPerAddress,
            int subscriptionsPerConnection,
            int messageBytes,
            int queuedMessages,
            int queuedBytes,
            Duration ping) {
        this(
                connections,
                connectionsPerAddress,
                subscriptionsPerConnection,
                messageBytes,
                queuedMessages,
                queuedBytes,
                DEFAULT.queuedBytesInAll,
                ping);
    }

    public WebLimits {
        boolean all = connections > 0
                && connectionsPerAddress > 0
                && subscriptionsPerConnection > 0
                && messageBytes > 0
                && queuedMessages > 0
                && queuedBytes > 0
                && queuedBytesInAll > 0;
        if (!all || ping.isNegative() || ping.isZero()) {
            throw new InvalidInputException("every limit of the gateway server is above zero");
        }
    }
}
