package dev.sluice.mongodb;

import dev.sluice.log.EventRecord;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes the events out of replies, one after the other. Holds split events until their last fragment. For one thread. */
final class ReplyReader {
    private static final byte[] NOTHING = {};

    private final EventNormalizer normalizer;
    private final RawEvent event = new RawEvent();
    private final RawFields elements = new RawFields();
    private final FragmentJoin fragments = new FragmentJoin();
    private final List<RawBson> tokens = new ArrayList<>();
    private final boolean keepsTokens;

    private byte[] lastArray = NOTHING;
    private int lastTokenStart;
    private int lastTokenLength;

    /** @param keepsTokens whether each event's token is wanted */
    ReplyReader(EventNormalizer normalizer, boolean keepsTokens) {
        this.normalizer = normalizer;
        this.keepsTokens = keepsTokens;
    }

    /**
     * What a reply held.
     *
     * @param seen the server's events, also those that yield no record
     * @param position behind the last whole event, or behind the reply; null when there is neither
     * @param lastTime of the last whole event, else zero
     */
    record Read(
            List<EventRecord> events,
            int seen,
            @Nullable RawBson position,
            ClusterTime lastTime,
            boolean invalidated) {}

    Read read(RawReply reply) {
        List<EventRecord> events = new ArrayList<>();
        int seen = 0;
        boolean invalidated = false;
        ClusterTime lastTime = ClusterTime.ZERO;
        lastTokenLength = 0;
        tokens.clear();
        if (reply.batch >= 0) {
            elements.over(reply.array, reply.batch);
            while (elements.next()) {
                seen++;
                if (parsedWhole(reply.array, elements.valueStart())) {
                    normalizer.normalize(event, events);
                    keepToken(events.size());
                    invalidated |= event.operation == ServerOperation.INVALIDATE;
                    lastTime = event.clusterTime;
                    lastArray = event.array;
                    lastTokenStart = event.token.start;
                    lastTokenLength = event.token.length;
                }
            }
        }
        RawBson position = position(reply, seen > 0);
        lastArray = NOTHING;
        return new Read(events, seen, position, lastTime, invalidated);
    }

    private void keepToken(int events) {
        if (keepsTokens && tokens.size() < events) {
            int start = event.token.start;
            RawBson token = RawBson.of(Arrays.copyOfRange(event.array, start, start + event.token.length));
            while (tokens.size() < events) {
                tokens.add(token);
            }
        }
    }

    /** One per event of the last reply, where they are kept. */
    List<RawBson> tokens() {
        return List.copyOf(tokens);
    }

    /** Whether {@link #event} now holds a whole event. */
    private boolean parsedWhole(byte[] array, int offset) {
        event.parse(array, offset);
        if (event.fragments == 0) {
            return true;
        }
        boolean last = event.fragment == event.fragments;
        fragments.add(array, offset, last);
        if (last) {
            event.parse(fragments.join(), 0);
        }
        return last;
    }

    private @Nullable RawBson position(RawReply reply, boolean some) {
        boolean atItsEnd = !fragments.isPending();
        if (atItsEnd && reply.token != null) {
            return reply.token;
        }
        return some && lastTokenLength > 0
                ? RawBson.of(Arrays.copyOfRange(lastArray, lastTokenStart, lastTokenStart + lastTokenLength))
                : null;
    }

    /** Before a stream is opened again: what was read of a split event comes again. */
    void reset() {
        fragments.clear();
    }
}
