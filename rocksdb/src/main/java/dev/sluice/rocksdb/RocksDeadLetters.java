package dev.sluice.rocksdb;

import dev.sluice.lane.DeadLetter;
import dev.sluice.lane.DeadLetters;
import dev.sluice.lane.DeadLettersException;
import dev.sluice.model.InvalidInputException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;

/**
 * Dead letters in a directory: the letters by the number under which they came, and two families that lead there, by id
 * and by time. All that belongs to one call is one synced write.
 */
public final class RocksDeadLetters implements DeadLetters {
    private static final int FORMAT = 1;
    private static final String LETTERS = "letters";
    private static final String IDS = "ids";
    private static final String TIMES = "times";
    /** What one page may take of the heap, unless a single letter is larger. */
    private static final int PAGE_BYTES = 16 << 20;

    private static final int DELETED_AT_ONCE = 1_000;

    private final KeptTables tables;
    private final ReentrantLock changing = new ReentrantLock();

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private volatile long count;

    /** The last change failed: nobody knows what of it is on disk, nor how many there are. */
    private boolean doubtful;

    private long last;

    /** Where a letter is, and since when. */
    private record Place(long number, Instant at) {
        private static final int BYTES = 2 * Long.BYTES + Integer.BYTES;

        static Place of(byte[] bytes) {
            if (bytes.length != BYTES) {
                throw new InvalidInputException("a dead letter's place cannot be read");
            }
            ByteBuffer from = ByteBuffer.wrap(bytes);
            return new Place(from.getLong(), Instant.ofEpochSecond(from.getLong(), from.getInt()));
        }

        byte[] encode() {
            return ByteBuffer.allocate(BYTES)
                    .putLong(number)
                    .putLong(at.getEpochSecond())
                    .putInt(at.getNano())
                    .array();
        }

        byte[] numberKey() {
            return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        }

        /** Sorted by time, also before 1970. */
        byte[] timeKey() {
            return ByteBuffer.allocate(BYTES)
                    .putLong(at.getEpochSecond() ^ Long.MIN_VALUE)
                    .putInt(at.getNano())
                    .putLong(number)
                    .array();
        }
    }

    /** @throws DeadLettersException when the directory is damaged, of an unknown format, in use or not accessible */
    public RocksDeadLetters(Path directory) {
        this.tables = new KeptTables(
                "dead letters", directory, FORMAT, FORMAT, List.of(LETTERS, IDS, TIMES), DeadLettersException::new);
        try {
            count = countIds();
            last = lastNumber();
        } catch (RuntimeException e) {
            tables.close();
            throw e;
        }
    }

    /** As a write of nothing: after one that failed it sees the database opened anew. */
    private long countIds() {
        return tables.write((database, batch) -> {
            long found = 0;
            try (RocksIterator iterator = database.iterate(IDS)) {
                for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                    found++;
                }
                iterator.status();
            }
            return found;
        });
    }

    private long lastNumber() {
        return tables.read(database -> {
            try (RocksIterator iterator = database.iterate(LETTERS)) {
                iterator.seekToLast();
                long found =
                        iterator.isValid() ? ByteBuffer.wrap(iterator.key()).getLong() : 0;
                iterator.status();
                return found;
            }
        });
    }

    @Override
    public void store(List<DeadLetter> letters) {
        change((database, batch) -> {
            Map<String, Place> fresh = new HashMap<>();
            for (DeadLetter letter : letters) {
                Place place = fresh.get(letter.id());
                place = place != null ? place : place(database, letter.id());
                if (place == null) {
                    place = new Place(++last, letter.at());
                    fresh.put(letter.id(), place);
                    batch.put(database.family(IDS), key(letter.id()), place.encode());
                    batch.put(database.family(TIMES), place.timeKey(), key(letter.id()));
                }
                byte[] record = DeadLetterRecord.encode(letter, place.at());
                batch.put(database.family(LETTERS), place.numberKey(), record);
            }
            return fresh.size();
        });
    }

    /** Returns by how many there are more now, as the change says. */
    private int change(KeptTables.Change<Integer> change) {
        changing.lock();
        try {
            if (doubtful) {
                count = countIds();
                doubtful = false;
            }
            doubtful = true;
            int more = tables.write(change);
            doubtful = false;
            count += more;
            return more;
        } finally {
            changing.unlock();
        }
    }

    @Override
    public List<DeadLetter> list(String afterId, int limit) {
        Optional<List<DeadLetter>> page = tables.read(database -> {
            Place after = afterId.isEmpty() ? new Place(0, Instant.EPOCH) : place(database, afterId);
            return after == null ? Optional.empty() : Optional.of(page(database, after.number() + 1, limit));
        });
        return page.orElseThrow(() -> new InvalidInputException("there is no dead letter "
                + InvalidInputException.quote(afterId) + " any more to go on from: list from the start"));
    }

    private static List<DeadLetter> page(Database database, long from, int limit) throws RocksDBException {
        List<DeadLetter> page = new ArrayList<>();
        long bytes = 0;
        try (RocksIterator iterator = database.iterate(LETTERS)) {
            iterator.seek(ByteBuffer.allocate(Long.BYTES).putLong(from).array());
            while (iterator.isValid() && page.size() < limit) {
                byte[] record = iterator.value();
                bytes += record.length;
                if (bytes > PAGE_BYTES && !page.isEmpty()) {
                    break;
                }
                page.add(DeadLetterRecord.decode(record));
                iterator.next();
            }
            iterator.status();
        }
        return page;
    }

    @Override
    public Optional<DeadLetter> find(String id) {
        return tables.read(database -> {
            Place place = place(database, id);
            byte[] record = place == null ? null : database.get(LETTERS, place.numberKey());
            return record == null ? Optional.empty() : Optional.of(DeadLetterRecord.decode(record));
        });
    }

    @Override
    public boolean delete(String id) {
        int more = change((database, batch) -> {
            Place place = place(database, id);
            if (place == null) {
                return 0;
            }
            delete(database, batch, key(id), place);
            return -1;
        });
        return more < 0;
    }

    @Override
    public int deleteBefore(Instant time) {
        int deleted = 0;
        int some;
        do {
            some = -change((database, batch) -> -deleteSomeBefore(database, batch, time));
            deleted += some;
        } while (some == DELETED_AT_ONCE);
        return deleted;
    }

    private static int deleteSomeBefore(Database database, WriteBatch batch, Instant time) throws RocksDBException {
        int found = 0;
        try (RocksIterator iterator = database.iterate(TIMES)) {
            for (iterator.seekToFirst(); iterator.isValid() && found < DELETED_AT_ONCE; iterator.next()) {
                byte[] id = iterator.value();
                byte[] bytes = database.get(IDS, id);
                if (bytes == null) {
                    throw new InvalidInputException("a dead letter's time leads nowhere");
                }
                Place place = Place.of(bytes);
                if (!place.at().isBefore(time)) {
                    break;
                }
                delete(database, batch, id, place);
                found++;
            }
            iterator.status();
        }
        return found;
    }

    private static void delete(Database database, WriteBatch batch, byte[] id, Place place) throws RocksDBException {
        batch.delete(database.family(IDS), id);
        batch.delete(database.family(TIMES), place.timeKey());
        batch.delete(database.family(LETTERS), place.numberKey());
    }

    @Override
    public long count() {
        return count;
    }

    private static @Nullable Place place(Database database, String id) throws RocksDBException {
        byte[] found = database.get(IDS, key(id));
        return found == null ? null : Place.of(found);
    }

    private static byte[] key(String id) {
        return id.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        tables.close();
    }
}
