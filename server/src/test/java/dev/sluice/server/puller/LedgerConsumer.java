package dev.sluice.server.puller;

import dev.sluice.client.ConsumerOptions;
import dev.sluice.client.EventConsumer;
import dev.sluice.client.MemoryMarkerStore;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.testkit.ledger.Ledger;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.bson.BsonDocument;

/** A consumer that takes down in the ledger what it gets. */
final class LedgerConsumer implements AutoCloseable {
    private static final int SAVE_EVERY = 50;

    private final String name;
    private final String address;
    private final Ledger ledger;
    private final UnaryOperator<ConsumerOptions> wishes;
    private final long pauseMillis;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private String savedMarker = "";
    private int handledSinceSave;
    private long lostByCrashes;
    private EventConsumer consumer;

    LedgerConsumer(
            String name, String address, Ledger ledger, UnaryOperator<ConsumerOptions> wishes, long pauseMillis) {
        this.name = name;
        this.address = address;
        this.ledger = ledger;
        this.wishes = wishes;
        this.pauseMillis = pauseMillis;
        this.consumer = start("");
    }

    private EventConsumer start(String marker) {
        var markers = new MemoryMarkerStore();
        if (!marker.isEmpty()) {
            markers.save(marker);
        }
        return wishes.apply(EventConsumer.options()
                        .label(name)
                        .address(address)
                        .markers(markers)
                        .json()
                        .start(ConsumerOptions.Start.OLDEST)
                        .backoff(Duration.ofMillis(20), Duration.ofMillis(200)))
                .start(this::handle);
    }

    private void handle(Event event) throws InterruptedException {
        if (pauseMillis > 0 && handledSinceSave % 4 == 0) {
            Thread.sleep(pauseMillis);
        }
        var version = BsonDocument.parse(event.getFullDocument().toStringUtf8())
                .getNumber("v")
                .intValue();
        ledger.arrived(name, event.getDocumentId(), version, event.getId(), false);
        seen.add(event.getId());
        if (++handledSinceSave >= SAVE_EVERY) {
            savedMarker = event.getProgress();
            handledSinceSave = 0;
        }
    }

    /** Forgets what it did since it last saved its marker, as a killed consumer does, and starts again. */
    void crash() {
        consumer.close();
        lostByCrashes += handledSinceSave;
        handledSinceSave = 0;
        consumer = start(savedMarker);
    }

    long handledBehindSavedMarker() {
        return lostByCrashes;
    }

    Set<String> seen() {
        return seen;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
