package dev.sluice.rocksdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksObject;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** One open database with named families and its native handles; its format stands in the default family. */
final class Database implements AutoCloseable {
    private static final byte[] FORMAT = "format".getBytes(StandardCharsets.US_ASCII);

    static {
        RocksDB.loadLibrary();
    }

    private final StallPatience stalls = new StallPatience(System::nanoTime, LockSupport::parkNanos);
    private final List<RocksObject> natives = new ArrayList<>();
    private final Map<String, ColumnFamilyHandle> families = new HashMap<>();
    private final RocksDB db;
    private final ColumnFamilyHandle defaults;
    private final WriteOptions synced = own(new WriteOptions().setSync(true).setNoSlowdown(true));
    private final ReadOptions checked = own(new ReadOptions().setVerifyChecksums(true));

    /**
     * @param oldest the earliest format that can be read; a database of one between that and {@code format} has the
     *     latter from then on, so that an earlier version refuses it
     * @throws UnknownFormatException when another version wrote it
     */
    Database(Path directory, int oldest, int format, List<String> names) throws IOException, RocksDBException {
        Files.createDirectories(directory);
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
        descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, own(tables())));
        for (String name : names) {
            descriptors.add(new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.US_ASCII), own(tables())));
        }
        try {
            db = RocksDB.open(own(options()), directory.toString(), descriptors, handles);
        } catch (RocksDBException e) {
            closeNatives();
            throw e;
        }
        for (int k = 0; k < names.size(); k++) {
            families.put(names.get(k), handles.get(k + 1));
        }
        defaults = handles.getFirst();
        handles.forEach(this::own);
        try {
            requireFormat(oldest, format);
        } catch (RocksDBException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Another version wrote this. */
    static final class UnknownFormatException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private UnknownFormatException(String message) {
            super(message);
        }
    }

    private static DBOptions options() {
        return new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setParanoidChecks(true)
                // After kill -9 the last record may be torn: it was never acknowledged. Damage anywhere else is
                // refused.
                .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
                // Else a small family, never full, would keep every write-ahead log alive.
                .setAtomicFlush(true)
                .setMaxBackgroundJobs(2)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(2);
    }

    private static ColumnFamilyOptions tables() {
        return new ColumnFamilyOptions()
                .setWriteBufferSize(16 << 20)
                .setCompressionType(CompressionType.LZ4_COMPRESSION);
    }

    private void requireFormat(int oldest, int format) throws RocksDBException {
        byte[] found = db.get(FORMAT);
        int has = found == null || found.length != Integer.BYTES
                ? -1
                : ByteBuffer.wrap(found).getInt();
        if (found == null || has >= oldest && has < format) {
            try (WriteBatch batch = new WriteBatch()) {
                batch.put(
                        FORMAT,
                        ByteBuffer.allocate(Integer.BYTES).putInt(format).array());
                write(batch);
            }
        } else if (has != format) {
            String known = oldest == format ? format + " only" : oldest + " to " + format;
            throw new UnknownFormatException(
                    "format " + (has < 0 ? "unknown" : String.valueOf(has)) + ", and this version knows " + known);
        }
    }

    /** Few values of the database itself stand here, beside its format. */
    ColumnFamilyHandle defaults() {
        return defaults;
    }

    byte @Nullable [] getDefault(byte[] key) throws RocksDBException {
        return db.get(defaults, checked, key);
    }

    ColumnFamilyHandle family(String name) {
        ColumnFamilyHandle family = families.get(name);
        if (family == null) {
            throw new IllegalArgumentException("There is no family " + name + ".");
        }
        return family;
    }

    byte @Nullable [] get(String family, byte[] key) throws RocksDBException {
        return db.get(family(family), checked, key);
    }

    /** To be closed by whoever asks. */
    RocksIterator iterate(String family) {
        return db.newIterator(family(family), checked);
    }

    /** Returns when it is on disk, whole. */
    void write(WriteBatch batch) throws RocksDBException {
        stalls.outlast(() -> db.write(synced, batch), () -> db.getLongProperty("rocksdb.background-errors") > 0);
    }

    private <T extends RocksObject> T own(T object) {
        natives.add(object);
        return object;
    }

    private void closeNatives() {
        natives.reversed().forEach(RocksObject::close);
        natives.clear();
    }

    @Override
    public void close() {
        families.values().forEach(RocksObject::close);
        db.close();
        closeNatives();
    }
}
