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
    private final WriteOptions synced = own(new WriteOptions().setSync(true).setNoSlowdown(true));
    private final ReadOptions checked = own(new ReadOptions().setVerifyChecksums(true));

    /** @throws UnknownFormatException when another version wrote it */
    Database(Path directory, int format, List<String> names) throws IOException, RocksDBException {
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
        handles.forEach(this::own);
        try {
            requireFormat(format);
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

    private void requireFormat(int format) throws RocksDBException {
        byte[] found = db.get(FORMAT);
        byte[] known = ByteBuffer.allocate(Integer.BYTES).putInt(format).array();
        if (found == null) {
            try (WriteBatch batch = new WriteBatch()) {
                batch.put(FORMAT, known);
                write(batch);
            }
        } else if (found.length != Integer.BYTES || ByteBuffer.wrap(found).getInt() != format) {
            String has = found.length == Integer.BYTES
                    ? String.valueOf(ByteBuffer.wrap(found).getInt())
                    : "unknown";
            throw new UnknownFormatException("format " + has + ", and this version knows " + format + " only");
        }
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
