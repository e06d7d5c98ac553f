package dev.sluice.coordinate.audit;

import dev.sluice.coordinate.audit.AuditEvent.Kind;
import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Every join, leave, election, claim, release, loss and refusal of one group as this member saw it: a structured line
 * in the log (logger {@code dev.sluice.coordinate.audit}) and one of the latest events in memory. What is refused on every
 * look for the same reason is told once a minute. Any thread may call any method.
 */
public final class AuditTrail {
    public static final int DEFAULT_CAPACITY = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.coordinate.audit");
    private static final Duration REPEAT_AFTER = Duration.ofMinutes(1);

    private final String group;
    private final InstantSource clock;
    private final int capacity;
    private final Deque<AuditEvent> latest = new ArrayDeque<>();
    private long told;
    private long repeats;

    public AuditTrail(String group, InstantSource clock, int capacity) {
        if (capacity < 1) {
            throw new InvalidInputException("the audit view keeps at least 1 event, not " + capacity);
        }
        this.group = group;
        this.clock = clock;
        this.capacity = capacity;
    }

    public void joined(String member, String incarnation) {
        tell(Kind.JOINED, member, null, null, "incarnation " + incarnation);
    }

    public void left(String member) {
        tell(Kind.LEFT, member, null, null, "");
    }

    public void died(String member) {
        tell(Kind.DIED, member, null, null, "its lease ended");
    }

    public void elected(String member, long epoch) {
        tell(Kind.ELECTED, member, null, null, "leader under epoch " + epoch);
    }

    public void deposed(String member, String reason) {
        tell(Kind.DEPOSED, member, null, null, reason);
    }

    public void reassigned(String leader, int members, int moves, String reason) {
        tell(Kind.REASSIGNED, leader, null, null, moves + " moves over " + members + " members: " + reason);
    }

    /** @param from the owner before, or empty */
    public void claimed(String member, int partition, FencingToken token, String from) {
        tell(Kind.CLAIMED, member, partition, token, from.isEmpty() ? "" : "from " + from);
    }

    public void released(String member, int partition, FencingToken token, String reason) {
        tell(Kind.RELEASED, member, partition, token, reason);
    }

    public void lost(String member, int partition, FencingToken token, String reason) {
        tell(Kind.LOST, member, partition, token, reason);
    }

    public void layout(String member, long generation, String step) {
        tell(Kind.LAYOUT, member, null, null, "generation " + generation + ": " + step);
    }

    public void refused(String member, String reason) {
        tell(Kind.REFUSED, member, null, null, reason);
    }

    public void refused(String member, int partition, FencingToken token, String reason) {
        tell(Kind.REFUSED, member, partition, token, reason);
    }

    /** The latest events, oldest first. */
    public synchronized List<AuditEvent> latest() {
        return List.copyOf(latest);
    }

    /** Events since the start, also those that are no more in the view. */
    public synchronized long told() {
        return told;
    }

    /** Refusals that were not told again, because the same one had been a moment before. */
    public synchronized long repeats() {
        return repeats;
    }

    private void tell(
            Kind kind, String member, @Nullable Integer partition, @Nullable FencingToken token, String detail) {
        AuditEvent event = remember(kind, member, partition, token, detail);
        if (event != null) {
            log(event);
        }
    }

    private synchronized @Nullable AuditEvent remember(
            Kind kind, String member, @Nullable Integer partition, @Nullable FencingToken token, String detail) {
        AuditEvent event = new AuditEvent(told + 1, clock.instant(), kind, member, partition, token, detail);
        if (kind == Kind.REFUSED && repeated(event)) {
            repeats++;
            return null;
        }
        told++;
        if (latest.size() == capacity) {
            latest.removeFirst();
        }
        latest.addLast(event);
        return event;
    }

    private boolean repeated(AuditEvent event) {
        for (Iterator<AuditEvent> older = latest.descendingIterator(); older.hasNext(); ) {
            AuditEvent before = older.next();
            if (before.at().isBefore(event.at().minus(REPEAT_AFTER))) {
                return false;
            }
            if (sameAs(before, event)) {
                return true;
            }
        }
        return false;
    }

    private static boolean sameAs(AuditEvent before, AuditEvent event) {
        return new AuditEvent(
                        event.number(),
                        event.at(),
                        before.kind(),
                        before.member(),
                        before.partition(),
                        before.token(),
                        before.detail())
                .equals(event);
    }

    private void log(AuditEvent event) {
        LoggingEventBuilder line = event.kind().alarming() ? LOG.atWarn() : LOG.atInfo();
        line = line.addKeyValue("group", group)
                .addKeyValue("event", event.kind().text())
                .addKeyValue("member", event.member());
        if (event.partition() != null) {
            line = line.addKeyValue("partition", event.partition());
        }
        if (event.token() != null) {
            line = line.addKeyValue("token", event.token());
        }
        if (!event.detail().isEmpty()) {
            line = line.addKeyValue("detail", event.detail());
        }
        line.log("coordination: " + event.kind().text());
    }
}
