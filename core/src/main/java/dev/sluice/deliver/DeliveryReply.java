package dev.sluice.deliver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * What a gateway answers, as a JSON object:
 *
 * <ul>
 *   <li>{@code {"accepted":n,"rejections":[{"index":k,"reason":"…"}],"retries":[{"index":k,"reason":"…","broke":true}]}}: it
 *       has all of the batch but for the events named, counted from 0. Those among the {@code rejections} it never wants, those
 *       among the {@code retries} later; {@code broke} where it keeps breaking down over that very event. Each field may be
 *       missing. {@code "unknown":[k,…]} may name events that it took and nobody there was told, because no such subscription is
 *       there (any more). Only a batch that says {@code "perEventRetries":true} may be answered with {@code retries}: older senders
 *       would take these events for delivered.
 *   <li>{@code {"fenced":"why"}}: a token in the batch is older than one it knows.
 *   <li>{@code {"refused":"why"}}: something in the batch, or its size, can never be taken; smaller ones tell what.
 *   <li>{@code {"retry":"why","retryAfter":seconds,"broke":true}}: all of it later; {@code broke} where it broke down over
 *       some event of it. The last two may be missing.
 * </ul>
 *
 * Over HTTP the status says the last three, and the body of a 200 is the first, or anything that is no JSON object.
 */
public final class DeliveryReply {
    /** Longer answers are not read. */
    public static final int MAX_BYTES = 1 << 20;

    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private DeliveryReply() {}

    /** What does not follow the rules above is {@link BatchOutcome.RetryLater}: the gateway meant something, but what? */
    public static BatchOutcome read(byte[] json, int events) {
        try {
            return outcome(SmallJson.parse(json), events);
        } catch (RuntimeException garbage) {
            return new BatchOutcome.RetryLater("the gateway's answer makes no sense: " + Reason.of(garbage));
        }
    }

    private static BatchOutcome outcome(BsonDocument reply, int events) {
        if (reply.containsKey("fenced")) {
            return new BatchOutcome.Fenced(text(reply, "fenced"));
        }
        if (reply.containsKey("refused")) {
            return new BatchOutcome.Refused(text(reply, "refused"));
        }
        if (reply.containsKey("retry")) {
            return new BatchOutcome.RetryLater(text(reply, "retry"), after(reply), broke(reply));
        }
        EventAnswers said = new EventAnswers(events);
        for (BsonValue each : reply.getArray("rejections", new BsonArray())) {
            BsonDocument rejection = each.asDocument();
            said.reject(rejection.getNumber("index").longValue(), text(rejection, "reason"));
        }
        for (BsonValue each : reply.getArray("retries", new BsonArray())) {
            BsonDocument retry = each.asDocument();
            said.later(retry.getNumber("index").longValue(), text(retry, "reason"), broke(retry));
        }
        for (BsonValue each : reply.getArray("unknown", new BsonArray())) {
            said.notHeld(each.asNumber().longValue());
        }
        return said.outcome();
    }

    private static boolean broke(BsonDocument of) {
        return of.getBoolean("broke", BsonBoolean.FALSE).getValue();
    }

    private static String text(BsonDocument from, String field) {
        BsonValue value = from.get(field);
        return value == null
                ? ""
                : Reason.brief(value.isString() ? value.asString().getValue() : value.toString());
    }

    private static Optional<Duration> after(BsonDocument reply) {
        return reply.containsKey("retryAfter")
                ? pause(reply.getNumber("retryAfter").longValue())
                : Optional.empty();
    }

    /** How long a gateway asks to be left alone: nothing below 0, and at most an hour. */
    public static Optional<Duration> pause(long seconds) {
        return seconds < 0
                ? Optional.empty()
                : Optional.of(Duration.ofSeconds(Math.min(seconds, LONGEST_WAIT.toSeconds())));
    }

    /** Collects what a gateway said of single events. */
    public static final class EventAnswers {
        private final List<EventOutcome> outcomes;
        private boolean any;

        public EventAnswers(int events) {
            outcomes = new ArrayList<>(Collections.nCopies(events, EventOutcome.DELIVERED));
        }

        /** @throws IndexOutOfBoundsException when the batch has no such event */
        public void reject(long index, String reason) {
            set(index, new EventOutcome.Rejected(Reason.brief(reason)));
        }

        /** @throws IndexOutOfBoundsException when the batch has no such event */
        public void later(long index, String reason, boolean eventMayBeToBlame) {
            set(index, new EventOutcome.RetryLater(Reason.brief(reason), eventMayBeToBlame));
        }

        /** @throws IndexOutOfBoundsException when the batch has no such event */
        public void notHeld(long index) {
            set(index, EventOutcome.NOT_HELD);
        }

        private void set(long index, EventOutcome outcome) {
            if (index < 0 || index >= outcomes.size()) {
                throw new IndexOutOfBoundsException(
                        "it names event " + index + " of a batch of " + outcomes.size() + ", counted from 0");
            }
            outcomes.set((int) index, outcome);
            any = true;
        }

        public BatchOutcome outcome() {
            return any ? new BatchOutcome.PerEvent(outcomes) : BatchOutcome.DELIVERED;
        }
    }
}
