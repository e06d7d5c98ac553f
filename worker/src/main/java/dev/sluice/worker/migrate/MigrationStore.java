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

    /** The stored record of the migration, whether it can be parsed or not. */
    Optional<Entry> entry() {
        return store.get(key());
    }

    /** @throws InvalidInputException when it cannot be read, such as one of a newer version */
    Optional<Stored> read() {
        return entry().map(entry -> new Stored(parsed(entry, Migration::of), entry.revision()));
    }

    /** The last migration, for a worker that starts; empty also when it cannot be read, which its first step reports. */
    public Optional<Migration> readable() {
        return entry().flatMap(MigrationStore::readable);
    }

    static Optional<Migration> readable(Entry entry) {
        return readable(entry, Migration::of);
    }

    /** False when another writer was faster, and then nothing has changed. */
    boolean write(Migration next, long expected) {
        return store.put(key(), bytes(next.toDocument()), expected).isPresent();
    }

    boolean delete(long revision) {
        return store.delete(key(), revision);
    }

    /** Reports of workers by id, those of dead ones included; none that cannot be read. */
    public Map<String, WindowReport> reports() {
        Map<String, WindowReport> reports = new TreeMap<>();
        for (Entry entry : store.list(windows)) {
            readable(entry, WindowReport::of)
                    .ifPresent(report -> reports.put(entry.key().substring(windows.length()), report));
        }
        return reports;
    }

    /** The last report of a worker; empty when there is none that can be read. */
    Optional<WindowReport> report(String worker) {
        return store.get(windows + worker).flatMap(entry -> readable(entry, WindowReport::of));
    }

    /** Only this worker writes its report. False when the leader deleted the one before at this moment. */
    boolean report(String worker, WindowReport report) {
        String key = windows + worker;
        long revision = store.get(key).map(Entry::revision).orElse(CoordinationStore.ABSENT);
        return store.put(key, bytes(report.toDocument()), revision).isPresent();
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

    private static <T> Optional<T> readable(Entry entry, Function<BsonDocument, T> form) {
        try {
            return Optional.of(parsed(entry, form));
        } catch (InvalidInputException unreadable) {
            LOG.debug("The value of key {} is left out", entry.key(), unreadable);
            return Optional.empty();
        }
    }

    private static <T> T parsed(Entry entry, Function<BsonDocument, T> form) {
        try {
            return form.apply(BsonDocument.parse(entry.text()));
        } catch (JsonParseException
                | BsonInvalidOperationException
                | IllegalArgumentException
                | ArithmeticException e) {
            throw new InvalidInputException("the stored migration (key " + entry.key() + ") cannot be read ("
                    + e.getMessage() + "): a newer version of Sluice wrote it. Upgrade this one, or remove it by sluice"
                    + " worker migrate --forget: then worker.consumers decides");
        }
    }
}
