package dev.sluice.rocksdb;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Changes what only another version would. */
final class KeptTablesOf {
    private KeptTablesOf() {}

    static void writeFormat(Path directory, List<String> families, int format) throws RocksDBException {
        change(
                directory,
                families,
                (db, handles) -> db.put(
                        "format".getBytes(StandardCharsets.US_ASCII),
                        ByteBuffer.allocate(4).putInt(format).array()));
    }

    /** Puts a value into the first of the families. */
    static void put(Path directory, List<String> families, String key, byte[] value) throws RocksDBException {
        change(
                directory,
                families,
                (db, handles) -> db.put(handles.get(1), key.getBytes(StandardCharsets.UTF_8), value));
    }

    private interface Work {
        void with(RocksDB db, List<ColumnFamilyHandle> handles) throws RocksDBException;
    }

    private static void change(Path directory, List<String> families, Work work) throws RocksDBException {
        List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
        descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY));
        families.forEach(name -> descriptors.add(new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.US_ASCII))));
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (DBOptions options = new DBOptions();
                RocksDB db = RocksDB.open(options, directory.toString(), descriptors, handles)) {
            work.with(db, handles);
            handles.forEach(ColumnFamilyHandle::close);
        }
    }
}
