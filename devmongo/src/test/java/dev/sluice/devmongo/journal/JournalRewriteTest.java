package dev.sluice.devmongo.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.devmongo.oplog.Oplog;
import dev.sluice.devmongo.oplog.OplogEntry;
import dev.sluice.devmongo.oplog.OplogLimit;
import dev.sluice.devmongo.oplog.OplogSettings;
import dev.sluice.devmongo.store.CollectionView;
import dev.sluice.devmongo.store.Namespace;
import dev.sluice.devmongo.store.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal that has grown becomes what is still needed of it. */
class JournalRewriteTest {
    private static final int REWRITE_AFTER = 20_000;
    private static final int HISTORY = 20;
    private static final Namespace ORDERS = new Namespace("shop", "orders");

    @TempDir
    Path directory;

    /** A server without its sockets. */
    private final class Server implements AutoCloseable {
        final Oplog oplog = Oplog.toBeResumed(
                new OplogSettings(InstantSource.system(), new OplogLimit(Long.MAX_VALUE, HISTORY), false, false));
        final Store store = new Store(oplog, UUID::randomUUID, Duration.ofSeconds(60));
        final KeptData kept = KeptData.open(directory, REWRITE_AFTER, oplog, store);

        void put(int id, int version) {
            store.locked(() -> {
                CollectionView view = store.writeView(ORDERS, null);
                BsonDocument document =
                        BsonDocument.parse("{_id: %d, v: %d, text: '%s'}".formatted(id, version, "x".repeat(100)));
                BsonDocument before = view.byId(Objects.requireNonNull(document.get("_id")));
                if (before == null) {
                    view.insert(document);
                } else {
                    view.replace(before, document);
                }
                return true;
            });
            kept.sync();
        }

        List<BsonDocument> documents() {
            return store.locked(() -> new ArrayList<>(
                    Objects.requireNonNull(store.readView(ORDERS, null)).all()));
        }

        List<BsonTimestamp> times() {
            return oplog.all().stream().map(OplogEntry::time).toList();
        }

        @Override
        public void close() {
            kept.close();
        }
    }

    @Test
    void itStaysSmallAndHoldsDocumentsAndHistory() throws Exception {
        List<BsonDocument> documents;
        List<BsonTimestamp> times;
        BsonTimestamp first;
        try (Server server = new Server()) {
            first = server.oplog.oldest();
            for (int k = 0; k < 500; k++) {
                server.put(k % 7, k);
            }
            assertThat(Files.size(directory.resolve("journal"))).isLessThan(4 * REWRITE_AFTER);
            documents = server.documents();
            times = server.times();
        }
        try (Server server = new Server()) {
            assertThat(server.documents()).isEqualTo(documents);
            assertThat(server.times().subList(0, HISTORY - 1)).isEqualTo(times.subList(1, HISTORY));
            assertThat(server.oplog.lost(first)).isTrue();
            assertThat(server.oplog.committed()).isEqualTo(server.oplog.newest());
        }
    }
}
