package dev.sluice.server.coordinate;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.coordinate.StoreUnavailableException;
import dev.sluice.model.FencingToken;
import java.util.HashMap;
import java.util.Map;
import org.bson.BsonDocument;

/**
 * Compares what the store holds with what the witness accepted: every accepted token was granted by the store, and neither
 * tokens nor positions of the stored claims ever go backwards.
 */
final class ClaimsObserver {
    private final CoordinationStore store;
    private final FencedCounters counters;
    private final Map<Integer, FencingToken> granted = new HashMap<>();
    private final Map<Integer, Long> positions = new HashMap<>();

    ClaimsObserver(CoordinationStore store, FencedCounters counters) {
        this.store = store;
        this.counters = counters;
    }

    void look() {
        // before the store is asked: what is granted only afterwards is not accepted yet
        Map<Integer, FencingToken> accepted = counters.tokens();
        try {
            store.list(ChaosMember.GROUP + "/claims/1/").forEach(this::see);
        } catch (StoreUnavailableException away) {
            return;
        }
        accepted.forEach((partition, token) -> {
            FencingToken stored = granted.get(partition);
            if (stored == null || stored.isOlderThan(token)) {
                counters.violation(partition, "token " + token + " was accepted, the store granted only " + stored);
            }
        });
    }

    private void see(Entry entry) {
        int partition = Integer.parseInt(entry.key().substring(entry.key().lastIndexOf('/') + 1));
        BsonDocument claim = BsonDocument.parse(entry.text());
        FencingToken token = new FencingToken(
                claim.getNumber("generation").longValue(),
                claim.getNumber("epoch").longValue());
        String text = claim.getString("position").getValue();
        long position = text.isEmpty() ? 0 : Long.parseLong(text);
        FencingToken before = granted.put(partition, token);
        Long positionBefore = positions.put(partition, position);
        if (before != null && token.isOlderThan(before)) {
            counters.violation(partition, "the stored token went back from " + before + " to " + token);
        }
        if (positionBefore != null && position < positionBefore) {
            counters.violation(partition, "the stored position went back from " + positionBefore + " to " + position);
        }
    }
}
