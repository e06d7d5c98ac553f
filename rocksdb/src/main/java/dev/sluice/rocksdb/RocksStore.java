package dev.sluice.rocksdb;

import dev.sluice.log.EventLogException;
import dev.sluice.log.LogUnavailableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksObject;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * One open database and its native handles. Closed, it must not be touched again: whoever holds it keeps readers out
 * while closing.
 */
final class RocksStore implements AutoCloseable {
    private static final byte[] META = "meta".getBytes(StandardCharsets.US_ASCII);

    static {
        RocksDB.loadLibrary();
    }

    private final StallPatience stalls = new StallPatience(System::nanoTime, LockSupport::parkNanos);
    private final Path directory;
    private final List<RocksObject> natives = new ArrayList<>();
    private final RocksDB db;
    private final ColumnFamilyHandle events;
    private final ColumnFamilyHandle meta;
    /**
     * Without waiting in native code: a write that meets a stall is refused as incomplete, before anything of it is written.
     * Else a flush that fails for want of room holds the writer inside RocksDB, and nobody can say that capture waits.
     */
    private final WriteOptions synced = own(new WriteOptions().setSync(true).setNoSlowdown(true));

    private final ReadOptions checked =
            own(new ReadOptions().setVerifyChecksums(true).setFillCache(false));

    /** @throws EventLogException saying what is wrong with the directory and what to do */
    RocksStore(Path directory, RocksSettings settings) {
        this.directory = directory;
        create(directory);
        requireCurrent(directory);
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try {
            ColumnFamilyOptions tables = own(tables(settings));
            List<ColumnFamilyDescriptor> families = List.of(
                    new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, tables),
                    new ColumnFamilyDescriptor(META, own(new ColumnFamilyOptions())));
            this.db = RocksDB.open(own(database()), directory.toString(), families, handles);
            this.events = own(handles.get(0));
            this.meta = own(handles.get(1));
        } catch (RocksDBException e) {
            closeNatives();
            throw RocksFaults.of(directory, e);
        }
    }

    private static void create(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new LogUnavailableException(
                    "Cannot create " + directory + " for the event log: make its parent writable, or configure another"
                            + " puller.buffer.path.",
                    e);
        }
    }

    /** Without its CURRENT file a database looks new to RocksDB, which would then clear away the tables it finds. */
    private static void requireCurrent(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            boolean used = files.map(file -> file.getFileName().toString())
                    .anyMatch(name -> name.endsWith(".sst") || name.endsWith(".log") || name.startsWith("MANIFEST"));
            if (used && !Files.exists(directory.resolve("CURRENT"))) {
                throw RocksFaults.damaged(directory, "the file CURRENT is missing", null);
            }
        } catch (IOException e) {
            throw new LogUnavailableException("Cannot read " + directory + ": make it readable.", e);
        }
    }

    private static DBOptions database() {
        return new DBOptions()
                .setCreateIfMissing(true)
                .setCreateMissingColumnFamilies(true)
                .setParanoidChecks(true)
                // After kill -9 the last record may be torn: it was never acknowledged. Damage anywhere else is
                // refused.
                .setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords)
                // Else the small column family, never full, would keep every write-ahead log alive.
                .setAtomicFlush(true)
                .setMaxBackgroundJobs(2)
                .setBytesPerSync(1 << 20)
                .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
                .setKeepLogFileNum(2);
    }

    /** Keys only ever grow, so files never overlap and compaction moves them without rewriting. */
    private ColumnFamilyOptions tables(RocksSettings settings) {
        BlockBasedTableConfig blocks =
                new BlockBasedTableConfig().setBlockSize(32 << 10).setBlockCache(own(new LRUCache(8 << 20)));
        return new ColumnFamilyOptions()
                .setTableFormatConfig(blocks)
                .setWriteBufferSize(settings.writeBufferBytes())
                .setMaxWriteBufferNumber(3)
                .setTargetFileSizeBase(settings.writeBufferBytes())
                .setCompressionType(
                        settings.compress() ? CompressionType.LZ4_COMPRESSION : CompressionType.NO_COMPRESSION);
    }

    ColumnFamilyHandle events() {
        return events;
    }

    ColumnFamilyHandle meta() {
        return meta;
    }

    RocksIterator iterate(ColumnFamilyHandle family) {
        return db.newIterator(family, checked);
    }

    /**
     * Returns when it is on disk, whole; waits while a flush is under way, but not for one that failed.
     *
     * @throws RocksDBException of status incomplete when it cannot be written for now: nothing of it was
     */
    void write(WriteBatch batch) throws RocksDBException {
        stalls.outlast(() -> db.write(synced, batch), this::flushFailed);
    }

    static boolean isStall(RocksDBException e) {
        return e.getStatus() != null && e.getStatus().getCode() == Status.Code.Incomplete;
    }

    private boolean flushFailed() throws RocksDBException {
        return db.getLongProperty("rocksdb.background-errors") > 0;
    }

    /** Frees whole files of a range that is deleted already; the rest goes with compaction. */
    void dropFiles(byte[] from, byte[] to) throws RocksDBException {
        db.deleteFilesInRanges(events, List.of(from, to), false);
    }

    /** Reads every block there is. */
    void verify() {
        try {
            db.verifyChecksum();
        } catch (RocksDBException e) {
            throw RocksFaults.of(directory, e);
        }
    }

    /** What RocksDB counts of its own work, as text. */
    String statistics() throws RocksDBException {
        return db.getProperty("rocksdb.dbstats");
    }

    private <T extends RocksObject> T own(T object) {
        natives.add(object);
        return object;
    }

    private void closeNatives() {
        natives.reversed().forEach(RocksObject::close);
    }

    @Override
    public void close() {
        events.close();
        meta.close();
        db.close();
        closeNatives();
    }
}
