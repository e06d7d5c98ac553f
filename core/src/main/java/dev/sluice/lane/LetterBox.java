package dev.sluice.lane;

import dev.sluice.model.Fnv1a64;
import dev.sluice.run.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts what a gateway will never take aside. It counts as done only when it is safe, however long that takes. */
public final class LetterBox {
    private static final Logger LOG = LoggerFactory.getLogger(LetterBox.class);
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final DeadLetters letters;
    private final Turns turns;
    private final LaneCounters counters;

    public LetterBox(DeadLetters letters, Turns turns, LaneCounters counters) {
        this.letters = letters;
        this.turns = turns;
        this.counters = counters;
    }

    /** One that is refused, and why. */
    record Refused(PendingDelivery owed, String reason) {}

    /** @param safe runs when all of them are stored */
    void put(String gatewayId, List<Refused> refused, Runnable safe) {
        Instant at = turns.now();
        turns.after(Duration.ZERO, () -> store(gatewayId, refused, at, safe));
    }

    private void store(String gatewayId, List<Refused> refused, Instant at, Runnable safe) {
        try {
            letters.store(
                    refused.stream().map(each -> letter(gatewayId, each, at)).toList());
        } catch (Throwable e) {
            LOG.atError()
                    .addKeyValue("gateway", gatewayId)
                    .addKeyValue("events", refused.size())
                    .setCause(e)
                    .log("dead letters cannot be stored and are tried again: the lane's position waits for them");
            turns.after(AGAIN, () -> store(gatewayId, refused, at, safe));
            return;
        }
        counters.deadLetters.add(refused.size());
        safe.run();
    }

    /** A dead letter's retry was delivered. */
    void delivered(String letterId) {
        turns.after(Duration.ZERO, () -> {
            boolean unused = letters.delete(letterId);
        });
    }

    private static DeadLetter letter(String gatewayId, Refused refused, Instant at) {
        PendingDelivery owed = refused.owed();
        return new DeadLetter(
                id(gatewayId, owed),
                gatewayId,
                owed.subscriptionId(),
                owed.event.event().id().toString(),
                owed.type,
                owed.sender.partition(),
                owed.event.jsonOrBytes(owed.type),
                refused.reason(),
                at,
                owed.attempts,
                owed.history(),
                owed.representative ? owed.priority : null);
    }

    private static String id(String gatewayId, PendingDelivery owed) {
        if (owed.letterId != null) {
            return owed.letterId;
        }
        long hash = Fnv1a64.hash(gatewayId);
        hash = Fnv1a64.add(Fnv1a64.add(hash, 0), owed.subscriptionId());
        hash = Fnv1a64.add(Fnv1a64.add(hash, 0), owed.type.text());
        hash = owed.representative ? Fnv1a64.add(Fnv1a64.add(hash, 0), owed.priority.text()) : hash;
        return owed.event.event().id() + "-" + HexFormat.of().toHexDigits(hash);
    }
}
