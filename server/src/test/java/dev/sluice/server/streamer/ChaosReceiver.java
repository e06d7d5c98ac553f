package dev.sluice.server.streamer;

import dev.sluice.model.FencingToken;
import dev.sluice.testkit.ledger.LedgerFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.bson.Document;

/**
 * Takes batches as a gateway in trouble does: most of them at once, some slowly, some not at all, some without a word.
 * What it takes is in its ledger before it answers. It drops no repeats, so the ledger sees what the Streamer sends.
 */
final class ChaosReceiver {
    /** More at once than this it refuses: the sender must find smaller batches by itself. */
    static final int LARGEST_BATCH = 40;

    private static final int[] AWAY = {500, 503, 401, 404, 429};

    private final LedgerFile ledger;
    private final SplittableRandom random;
    private final Consumer<String> complaints;
    private final Map<Integer, FencingToken> newest = new HashMap<>();
    private final Map<String, FencingToken> seen = new HashMap<>();

    ChaosReceiver(LedgerFile ledger, Consumer<String> complaints, long seed) {
        this.ledger = ledger;
        this.complaints = complaints;
        this.random = new SplittableRandom(seed);
    }

    GatewayAnswer take(List<Received> batch) {
        if (batch.size() > LARGEST_BATCH) {
            return new GatewayAnswer.TooLarge();
        }
        int dice = roll();
        if (dice < 40) {
            return new GatewayAnswer.Away(AWAY[dice % AWAY.length]);
        }
        if (dice < 60) {
            pause(dice * 5);
        }
        synchronized (this) {
            if (isStale(batch)) {
                return new GatewayAnswer.Stale();
            }
            List<Integer> rejected = record(batch);
            // Silence about a rejection would be taken for an acceptance that never came: both are retried.
            return dice > 995 ? new GatewayAnswer.Silence() : new GatewayAnswer.Taken(rejected);
        }
    }

    private List<Integer> record(List<Received> batch) {
        List<Integer> rejected = new ArrayList<>();
        for (int k = 0; k < batch.size(); k++) {
            Received event = batch.get(k);
            Document document = Document.parse(event.document());
            if (document.getBoolean("poison", false)) {
                rejected.add(k);
            } else {
                expectFlag(event);
                ledger.arrived(
                        event.subscriptionId(),
                        event.documentId(),
                        document.getInteger("v"),
                        event.eventId(),
                        event.redelivery());
            }
        }
        return rejected;
    }

    /** A new owner says so when it sends what the one before may have delivered. Row 33. */
    private void expectFlag(Received event) {
        FencingToken before = seen.put(event.subscriptionId() + ' ' + event.eventId(), event.token());
        if (before != null && before.isOlderThan(event.token()) && !event.redelivery()) {
            complaints.accept(event + " came before under " + before);
        }
    }

    private boolean isStale(List<Received> batch) {
        for (Received event : batch) {
            FencingToken known =
                    newest.merge(event.partition(), event.token(), (old, now) -> now.isOlderThan(old) ? old : now);
            if (event.token().isOlderThan(known)) {
                return true;
            }
        }
        return false;
    }

    private synchronized int roll() {
        return random.nextInt(1000);
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
