package dev.sluice.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.WriteBatch;

class RocksStoreTest {
    @TempDir
    Path path;

    /** kill -9 cannot tell: the kernel lives on and writes its cache. Only a lost machine would show a missing sync. */
    @Test
    void everyWriteIsSynced() throws Exception {
        try (RocksStore store = new RocksStore(path, RocksSettings.DEFAULT)) {
            for (int n = 1; n <= 7; n++) {
                try (WriteBatch batch = new WriteBatch()) {
                    batch.put(new byte[] {1}, new byte[] {2});
                    batch.put(store.meta(), new byte[] {3}, new byte[] {4});
                    store.write(batch);
                }
            }
            assertThat(store.statistics()).containsPattern("Cumulative WAL: 7 writes, 7 syncs");
        }
    }
}
