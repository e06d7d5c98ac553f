package dev.sluice.bench;

import dev.sluice.checkpoint.Checkpoint;
import dev.sluice.log.EventRecord;
import dev.sluice.log.EventRecordEncoder;
import dev.sluice.log.FreeSpace;
import dev.sluice.log.GroupCommit;
import dev.sluice.log.GroupCommitLimits;
import dev.sluice.log.LiveTail;
import dev.sluice.log.LogPosition;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import dev.sluice.rocksdb.RocksEventLog;
import dev.sluice.rocksdb.RocksSettings;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** P2: appending to the event log through group commit against a bare RocksDB loop with equal batches and the same sync. */
final class LogBenchmark implements Benchmark {
    private static final double FLOOR = 0.7;
    private static final int DOCUMENT_BYTES = 512;

    @Override
    public String name() {
        return "log";
    }

    @Override
    public String description() {
        return "event log append (group commit, synced, 512 B documents) against a bare RocksDB loop";
    }

    @Override
    public List<Group> groups(boolean quick) {
        int scale = quick ? 1 : 5;
        return List.of(group(100, 20_000 * scale), group(1000, 60_000 * scale));
    }

    private static Group group(int batch, int events) {
        List<EventRecord> records = records(events);
        return new Group("batch " + batch, new Bare(records, batch), List.of(new Sluice(records, batch)), FLOOR);
    }

    private static List<EventRecord> records(int count) {
        List<EventRecord> records = new ArrayList<>(count);
        EventRecordEncoder encoder = new EventRecordEncoder();
        for (int n = 1; n <= count; n++) {
            BsonDocument document = new BsonDocument("_id", new BsonInt32(n));
            document.append("filling", new BsonBinary(new byte[DOCUMENT_BYTES - 32]));
            records.add(encoder.id(ClusterTime.of(1_700_000_000 + n / 1000, 1 + n % 1000), n * 0x9E3779B97F4A7C15L)
                    .operation(Operation.INSERT)
                    .tenant("acme")
                    .collection("orders")
                    .documentId(DocumentId.of(new BsonInt32(n)))
                    .document(RawBson.of(document))
                    .timestamp(1_700_000_000_000L + n)
                    .encode());
        }
        return records;
    }

    /** What nobody can beat who syncs every batch: the same bytes under the same keys, and nothing else. */
    private record Bare(List<EventRecord> records, int batch) implements Contender {
        @Override
        public String name() {
            return "bare RocksDB";
        }

        @Override
        public Sample round() throws Exception {
            try (ScratchDirectory directory = new ScratchDirectory();
                    Options options = new Options()
                            .setCreateIfMissing(true)
                            .setWriteBufferSize(RocksSettings.DEFAULT.writeBufferBytes())
                            .setMaxWriteBufferNumber(3)
                            .setCompressionType(CompressionType.NO_COMPRESSION);
                    WriteOptions synced = new WriteOptions().setSync(true);
                    RocksDB db = RocksDB.open(options, directory.path().toString())) {
                Stopwatch watch = Stopwatch.start();
                for (int at = 0; at < records.size(); at += batch) {
                    try (WriteBatch writes = new WriteBatch()) {
                        for (EventRecord record : records.subList(at, Math.min(records.size(), at + batch))) {
                            writes.put(new LogPosition(record.clusterTime(), 1).toKey(), record.array());
                        }
                        db.write(synced, writes);
                    }
                }
                return watch.stop(records.size());
            }
        }
    }

    /** The whole way: handed in, queued, committed with its checkpoint by the writer's thread, published to the live tail. */
    private record Sluice(List<EventRecord> records, int batch) implements Contender {
        @Override
        public String name() {
            return "group commit + event log";
        }

        @Override
        public Sample round() throws Exception {
            try (ScratchDirectory directory = new ScratchDirectory();
                    RocksEventLog log = new RocksEventLog(directory.path(), "bench", RocksSettings.DEFAULT)) {
                LiveTail tail = new LiveTail(log.state().head().position(), 10_000, 32 << 20);
                FreeSpace space = FreeSpace.of(directory.path(), 1 << 20);
                GroupCommitLimits limits = GroupCommitLimits.of(batch, 4 * batch);
                try (GroupCommit commits =
                        new GroupCommit(log, limits, space, tail::publish).start(new Loops(), "log-writer")) {
                    Stopwatch watch = Stopwatch.start();
                    append(commits);
                    Sample sample = watch.stop(records.size());
                    requireAll(log, commits);
                    return sample;
                }
            }
        }

        private void append(GroupCommit commits) throws InterruptedException {
            BsonDocument token = new BsonDocument("_data", new BsonBinary(new byte[80]));
            RawBson raw = RawBson.of(token);
            for (int at = 0; at < records.size(); at += batch) {
                List<EventRecord> some = records.subList(at, Math.min(records.size(), at + batch));
                commits.submit(some, new Checkpoint(raw, some.getLast().clusterTime()));
            }
            commits.flush(Duration.ofMinutes(5));
        }

        private void requireAll(RocksEventLog log, GroupCommit commits) {
            if (log.state().events() != records.size() || commits.commits() < records.size() / batch) {
                throw new IllegalStateException("not everything was stored, or in bigger batches than agreed");
            }
        }
    }
}
