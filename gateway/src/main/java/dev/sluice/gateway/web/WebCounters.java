package dev.sluice.gateway.web;

import io.helidon.http.Status;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** What happened to end users since the server started; for metrics. Any thread may ask. */
public final class WebCounters {
    /** Why an end user did not get what it asked for. */
    public enum Refusal {
        /** The request, or a message on a WebSocket, makes no sense; or the Streamer does not take the subscription. */
        INVALID,
        /** It showed no valid token. */
        UNAUTHENTICATED,
        /** Another tenant, or a page of another origin. */
        FORBIDDEN,
        /** All connections or subscriptions it may have are taken. */
        BUSY
    }

    private final LongAdder sent = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder cutOffs = new LongAdder();
    private final LongAdder resyncs = new LongAdder();
    private final Map<Refusal, LongAdder> refused = new EnumMap<>(Refusal.class);

    WebCounters() {
        for (Refusal why : Refusal.values()) {
            refused.put(why, new LongAdder());
        }
    }

    void sent(int messages) {
        if (messages > 0) {
            sent.add(messages);
        }
    }

    void cutOff(int messages) {
        cutOffs.increment();
        dropped.add(messages);
    }

    void resync() {
        resyncs.increment();
    }

    void refused(RefusedException why) {
        Status status = why.status();
        if (status.equals(Status.UNAUTHORIZED_401)) {
            refused(Refusal.UNAUTHENTICATED);
        } else if (status.equals(Status.FORBIDDEN_403)) {
            refused(Refusal.FORBIDDEN);
        } else if (status.equals(Status.SERVICE_UNAVAILABLE_503)) {
            refused(Refusal.BUSY);
        } else {
            refused(Refusal.INVALID);
        }
    }

    void refused(Refusal why) {
        adder(why).increment();
    }

    private LongAdder adder(Refusal why) {
        return Objects.requireNonNull(refused.get(why));
    }

    /** Messages written to connections. */
    public long sentMessages() {
        return sent.sum();
    }

    /** Messages that waited for connections when those were cut off; their clients resume, or read everything again. */
    public long droppedMessages() {
        return dropped.sum();
    }

    /** Connections cut off because they were too slow. */
    public long cutOffs() {
        return cutOffs.sum();
    }

    /** Subscriptions of end users told to read everything again. */
    public long resyncs() {
        return resyncs.sum();
    }

    /** Connections and subscriptions that were refused. */
    public long refusals(Refusal why) {
        return adder(why).sum();
    }
}
