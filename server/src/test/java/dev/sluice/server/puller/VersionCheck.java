package dev.sluice.server.puller;

import dev.sluice.grpc.puller.v1.Event;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.bson.RawBsonDocument;

/** A consumer of a {@link SteadyLoad}: every version of every document must come, once and in its turn. */
final class VersionCheck {
    private final CountDownLatch gate;
    private final int[] versions = new int[SteadyLoad.DOCUMENTS];
    private volatile long count;
    private volatile long findings;

    /** @param gate behind which it stands still, holding its first batch */
    VersionCheck(CountDownLatch gate) {
        this.gate = gate;
    }

    void take(List<Event> events, String marker) throws InterruptedException {
        gate.await();
        long wrong = 0;
        for (var event : events) {
            int document = Integer.parseInt(event.getDocumentId());
            int version = new RawBsonDocument(event.getFullDocument().toByteArray())
                    .getInt32("v")
                    .getValue();
            if (version != ++versions[document]) {
                wrong++;
                versions[document] = version;
            }
        }
        findings += wrong;
        count += events.size();
    }

    long count() {
        return count;
    }

    /** Versions that did not come in their turn: lost, repeated or reordered. */
    long findings() {
        return findings;
    }
}
