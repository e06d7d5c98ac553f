package dev.sluice.rocksdb;

import dev.sluice.log.EventLog;
import dev.sluice.log.SegmentLimits;
import dev.sluice.testkit.contract.EventLogContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class RocksEventLogTest extends EventLogContract {
    @TempDir
    Path path;

    private int opened;

    @Override
    protected EventLog open(SegmentLimits limits) {
        return new RocksEventLog(path, "main" + opened++, RocksSettings.DEFAULT.withSegments(limits));
    }
}
