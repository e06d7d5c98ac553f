package dev.sluice.worker.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.Entry;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.cursor.CursorTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.bson.BsonDocument;

/**
 * Looks at every cursor on its way into the store: none may be ahead of what is handled, and a new owner starts where the
 * last cursor of the one before stands. So what is handled twice after a change of owners was in flight, or handled since
 * that cursor was written.
 */
final class CursorChecks {
    /** A taker reads, then writes its claim; a cursor that is written meanwhile does not count. */
    private static final Duration TAKEOVER = Duration.ofSeconds(15);

    private record Written(FencingToken token, Cursor cursor, Duration at, String key) {}

    private final List<String> subjects;
    private final SimulatedLedger ledger;
    private final Supplier<Duration> now;
    private final Map<Integer, Written> written = new HashMap<>();

    CursorChecks(List<String> subjects, SimulatedLedger ledger, Supplier<Duration> now) {
        this.subjects = subjects;
        this.ledger = ledger;
        this.now = now;
    }

    void check(Entry next) {
        if (next.key().contains("/cursors/")) {
            CursorTable.parse(next.value()).entries().forEach((partition, entry) -> {
                checkHandled(partition, entry.cursor(), next.key());
                remember(partition, entry.token(), entry.cursor(), next.key());
            });
        } else if (next.key().contains("/claims/")) {
            checkClaim(next);
        }
    }

    private void checkHandled(int partition, Cursor cursor, String key) {
        String subject = subjects.get(partition);
        require(
                ledger.isSettledThrough(subject, cursor.low()),
                "cursor " + cursor + " of " + subject + " in " + key + " is ahead of what is handled");
        for (long sequence : cursor.finished()) {
            require(
                    ledger.isSettled(subject, sequence),
                    "cursor " + cursor + " of " + subject + " in " + key + " has " + sequence
                            + " finished, which is not handled");
        }
    }

    private void remember(int partition, FencingToken token, Cursor cursor, String key) {
        Written before = written.get(partition);
        if (before == null || !token.isOlderThan(before.token)) {
            written.put(partition, new Written(token, cursor, now.get(), key));
        }
    }

    private void checkClaim(Entry next) {
        BsonDocument claim = BsonDocument.parse(new String(next.value(), UTF_8));
        String position = claim.getString("position").getValue();
        int partition = Integer.parseInt(next.key().substring(next.key().lastIndexOf('/') + 1));
        if (partition >= subjects.size() || position.isEmpty()) {
            return;
        }
        Cursor cursor = Cursor.parse(position);
        checkHandled(partition, cursor, next.key());
        FencingToken token = new FencingToken(number(claim, "generation"), number(claim, "epoch"));
        Written before = written.get(partition);
        boolean taken = !claim.getString("owner").getValue().isEmpty();
        if (taken && before != null && before.token.epoch() + 1 == token.epoch()) {
            boolean old = now.get().minus(before.at).compareTo(TAKEOVER) > 0;
            require(
                    !old || cursor.low() >= before.cursor.low(),
                    "the owner of " + subjects.get(partition) + " under " + token + " starts at " + cursor + ", behind "
                            + before);
        }
        remember(partition, token, cursor, next.key());
        if (taken) {
            ledger.starts(subjects.get(partition), token, cursor.low(), cursor.finished());
        }
    }

    private static long number(BsonDocument document, String field) {
        return document.getNumber(field).longValue();
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
