package dev.sluice.gateway.web;

import dev.sluice.deliver.EventType;
import dev.sluice.gateway.Gateway;
import dev.sluice.gateway.MissedEventsException;
import dev.sluice.gateway.QuotaExceededException;
import dev.sluice.gateway.ReceivedEvent;
import dev.sluice.gateway.ResumeId;
import dev.sluice.gateway.StreamerUnavailableException;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Subscription;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One connection that gets server-sent events, for one subscription. It runs on the connection's own thread until the
 * other side is gone, too slow, or no longer allowed.
 */
final class SseStream {
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Gateway gateway;
    private final Subscription subscription;
    private final Caller caller;
    private final ClientQueue queue;
    private final WebCounters counters;
    private final Duration ping;
    private final Clock clock;
    private final ResumeId after;
    private String lastId;

    /** @param after what the client sent; its marker is the subscription's {@code from} */
    SseStream(
            Gateway gateway,
            Subscription subscription,
            String after,
            Caller caller,
            ClientQueue queue,
            WebCounters counters,
            Duration ping,
            Clock clock) {
        this.counters = counters;
        this.gateway = gateway;
        this.subscription = subscription;
        this.caller = caller;
        this.queue = queue;
        this.ping = ping;
        this.clock = clock;
        this.after = ResumeId.parse(after);
        this.lastId = after;
    }

    /** Where it is written to. */
    interface Sink {
        /** Called once, when it is sure that there is a stream. */
        OutputStream open();
    }

    /** Ends it, from another thread. */
    void close() {
        queue.close();
    }

    /**
     * Writes until it is over.
     *
     * @throws InvalidInputException when the Streamer does not take the subscription, before anything was written
     */
    void run(Sink sink) throws IOException, InterruptedException {
        Optional<String> first = subscribe();
        try (OutputStream out = sink.open()) {
            write(out, SseText.start());
            while (first.isEmpty() && !isOver()) {
                // Browsers give up on an error, so they are held until there is a Streamer.
                // Its answer alone may be missing: then there are events already.
                write(out, queue.take(PATIENCE), SseText.PING);
                first = subscribeLater();
            }
            write(out, first.orElse(""));
            pump(out);
        } finally {
            queue.close();
            unsubscribe();
        }
    }

    private void unsubscribe() {
        // Whoever was cut off was interrupted; the call would not even begin then.
        boolean cutOff = Thread.interrupted();
        gateway.unsubscribe(subscription.id());
        if (cutOff) {
            Thread.currentThread().interrupt();
        }
    }

    /** What to write first; empty while there is no Streamer. */
    private Optional<String> subscribe() {
        try {
            lastId = gateway.subscribe(subscription, after, this::pass);
            return Optional.of(SseText.id(lastId));
        } catch (MissedEventsException tooOld) {
            return subscribeFromNow(String.valueOf(tooOld.getMessage()));
        } catch (StreamerUnavailableException | QuotaExceededException notNow) {
            return Optional.empty();
        }
    }

    private void pass(ReceivedEvent event) {
        if (event.type() == EventType.RESYNC) {
            counters.resync();
        }
        queue.put(SseText.of(event));
    }

    private Optional<String> subscribeFromNow(String reason) {
        try {
            Subscription fromNow = subscription.startingAt(Optional.empty());
            String now = gateway.subscribe(fromNow, this::pass);
            counters.resync();
            return Optional.of(SseText.resync(reason, now));
        } catch (StreamerUnavailableException | QuotaExceededException notNow) {
            return Optional.empty();
        }
    }

    private Optional<String> subscribeLater() {
        try {
            return subscribe();
        } catch (InvalidInputException refused) {
            close();
            counters.refused(WebCounters.Refusal.INVALID);
            return Optional.of(SseText.refused(String.valueOf(refused.getMessage())));
        }
    }

    private void pump(OutputStream out) throws IOException, InterruptedException {
        while (!isOver()) {
            ClientMessage message = queue.take(ping);
            write(out, message, message == null ? idle() : "");
        }
    }

    private boolean isOver() {
        return queue.isClosed() || caller.isOver(clock);
    }

    /**
     * How far the Streamer got, if that is news. Read before the queue is: what was told by then has been written, unless the
     * queue was closed and what waited in it thrown away.
     */
    private String idle() {
        String marker = gateway.resumeId(subscription.id());
        if (marker.equals(lastId) || !queue.isOpenAndEmpty()) {
            return SseText.PING;
        }
        lastId = marker;
        return SseText.id(marker);
    }

    private static void write(OutputStream out, @Nullable ClientMessage message, String otherwise) throws IOException {
        if (message == null) {
            write(out, otherwise);
        } else {
            message.write((bytes, from, length, last) -> out.write(bytes, from, length));
            out.flush();
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        if (!text.isEmpty()) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }
}
