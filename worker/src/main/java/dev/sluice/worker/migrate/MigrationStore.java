package dev.sluice.worker.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import dev.sluice.model.InvalidInputException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.json.JsonParseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last migration of a group, {@code <group>/mode/migration}, changed by compare-and-set only, and one report per worker
 * below {@code <group>/mode-windows/}. All calls may throw a {@code StoreUnavailableException}.
 */
public final class MigrationStore {
    private static final Logger LOG = LoggerFactory.getLogger(MigrationStore.class);

    private final CoordinationStore store;
    private final String mode;
    private final String windows;

    public MigrationStore(CoordinationStore store, String group) {
        this.store = store;
        this.mode = group + "/mode/";
        this.windows = group + "/mode-windows/";
    }

    /** A migration with its revision. */
    record Stored(Migration migration, long revision) {}

    private String key() {
        return mode + "migration";
    }

    Optional<Stored> read() {
        return store.get(key()).map(entry -> new Stored(parsed(entry, Migration::of), entry.revision()));
    }

    /** The last migration; empty when the group never had one, or it was forgotten. */
    public Optional<Migration> migration() {
        return read().map(Stored::migration);
    }

    /** False when another writer was faster, and then nothing has changed. */
    boolean write(Migration next, long expected) {
        return store.put(key(), bytes(next.toDocument()), expected).isPresent();
    }

    boolean delete(Stored read) {
        return store.delete(key(), read.revision());
    }

    /** Reports of workers by id, those of dead ones included; none that cannot be read. */
    public Map<String, WindowReport> reports() {
        Map<String, WindowReport> reports = new TreeMap<>();
        for (Entry entry : store.list(windows)) {
            try {
                reports.put(entry.key().substring(windows.length()), parsed(entry, WindowReport::of));
            } catch (InvalidInputException unreadable) {
                LOG.debug("A report is left out", unreadable);
            }
        }
        return reports;
    }

    /** The last report of a worker; empty when there is none that can be read. */
    Optional<WindowReport> report(String worker) {
        return Optional.ofNullable(reports().get(worker));
    }

    /** Only this worker writes its report, so the last one wins. */
    void report(String worker, WindowReport report) {
        String key = windows + worker;
        long revision = store.get(key).map(Entry::revision).orElse(CoordinationStore.ABSENT);
        store.put(key, bytes(report.toDocument()), revision);
    }

    void deleteReports() {
        store.list(windows).forEach(entry -> store.delete(entry.key(), entry.revision()));
    }

    /** Calls back soon after the migration has changed; reports make no call. */
    CoordinationStore.Watch watch(Runnable changed) {
        return store.watch(mode, key -> changed.run());
    }

    private static byte[] bytes(BsonDocument document) {
        return document.toJson().getBytes(UTF_8);
    }

    private static <T> T parsed(Entry entry, Function<BsonDocument, T> form) {
        try {
            return form.apply(BsonDocument.parse(entry.text()));
        } catch (JsonParseException
                | BsonInvalidOperationException
                | IllegalArgumentException
                | ArithmeticException e) {
            throw new InvalidInputException("the value of key " + entry.key() + " is not what this version of Sluice"
                    + " writes there (" + e.getMessage() + "): a newer version wrote it, or put back what was there");
        }
    }
}
