package dev.sluice.deliver;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway answers, as a JSON object:
 *
 * <ul>
 *   <li>{@code {"accepted":n,"rejections":[{"index":k,"reason":"…"}],"retries":[{"index":k,"reason":"…","broke":true}]}}: it
 *       has all of the batch but for the events named, counted from 0. Those among the {@code rejections} it never wants, those
 *       among the {@code retries} later; {@code broke} where it keeps breaking down over that very event. <b>The number accepted
 *       and the events named add up to the number sent</b>, and no event is named twice: otherwise a proxy's page, or a gateway
 *       that lost part of the batch, would count as an acknowledgement. A missing field counts as 0 or empty, but at least one
 *       of the three is there. {@code "unknown":[k,…]} may name, among those accepted, events that were dropped, because the
 *       gateway has no such subscription (any more). Only a batch that says {@code "perEventRetries":true} may be answered with
 *       {@code retries}: older senders would take these events for delivered.
 *   <li>{@code {"fenced":"why"}}: a token in the batch is older than one it knows.
 *   <li>{@code {"refused":"why"}}: something in the batch, or its size, can never be taken; smaller ones tell what.
 *   <li>{@code {"retry":"why","retryAfter":seconds,"broke":true}}: all of it later; {@code broke} where it broke down over
 *       some event of it. The last two may be missing.
 * </ul>
 *
 * Over HTTP the status says the last three, and the body of a 200 is the first, or empty: then all are accepted.
 */
public final class DeliveryReply {
    /** Longer answers are not read. */
    public static final int MAX_BYTES = 1 << 20;

    private static final Duration LONGEST_WAIT = Duration.ofHours(1);
    private static final List<String> COUNTS = List.of("accepted", "rejections", "retries");
    private static final BsonInt32 NONE = new BsonInt32(0);

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
        if (COUNTS.stream().noneMatch(reply::containsKey)) {
            throw new IllegalArgumentException("it has none of " + COUNTS);
        }
        EventAnswers said = new EventAnswers(events);
        said.accept(reply.getNumber("accepted", NONE).longValue());
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

    /** Collects what a gateway said of a batch, event by event, and checks that it accounts for all of them. */
    public static final class EventAnswers {
        private final @Nullable EventOutcome[] named;
        private long accepted;
        private long notAccepted;

        public EventAnswers(int events) {
            named = new EventOutcome[events];
        }

        /** @param count events of the batch that the gateway took, including those of subscriptions it does not hold */
        public void accept(long count) {
            accepted = count;
        }

        /** @throws IllegalArgumentException when the batch has no such event, or it was named before */
        public void reject(long index, String reason) {
            set(index, new EventOutcome.Rejected(Reason.brief(reason)));
            notAccepted++;
        }

        /** @throws IllegalArgumentException when the batch has no such event, or it was named before */
        public void later(long index, String reason, boolean eventMayBeToBlame) {
            set(index, new EventOutcome.RetryLater(Reason.brief(reason), eventMayBeToBlame));
            notAccepted++;
        }

        /** @throws IllegalArgumentException when the batch has no such event, or it was named before */
        public void notHeld(long index) {
            set(index, EventOutcome.NOT_HELD);
        }

        private void set(long index, EventOutcome outcome) {
            if (index < 0 || index >= named.length) {
                throw new IllegalArgumentException(
                        "it names event " + index + " of a batch of " + named.length + ", counted from 0");
            }
            if (named[(int) index] != null) {
                throw new IllegalArgumentException("it names event " + index + " twice");
            }
            named[(int) index] = outcome;
        }

        /** @throws IllegalArgumentException when the counts do not add up to the number of events sent */
        public BatchOutcome outcome() {
            if (accepted < 0 || accepted + notAccepted != named.length) {
                throw new IllegalArgumentException("it accepts " + accepted + " events and names " + notAccepted
                        + " others, but " + named.length + " were sent");
            }
            List<EventOutcome> outcomes = Stream.of(named)
                    .map(said -> said == null ? EventOutcome.DELIVERED : said)
                    .toList();
            return outcomes.stream().allMatch(EventOutcome.Delivered.class::isInstance)
                    ? BatchOutcome.DELIVERED
                    : new BatchOutcome.PerEvent(outcomes);
        }
    }
}
