package dev.sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * P1: from a change stream into the synced event log, against Debezium Embedded on the same devmongo, which runs in a
 * process of its own. The bare driver, which stores nothing, shows how fast the source can be read through its own change
 * stream cursor.
 */
final class CaptureBenchmark implements Benchmark {
    private static final double FLOOR = 10;
    private static final double CPU_FLOOR = 20;

    @Override
    public String name() {
        return "capture";
    }

    @Override
    public String description() {
        return "change stream to synced event log (512 B documents) against Debezium Embedded";
    }

    @Override
    public List<Group> groups(boolean quick) {
        int ours = quick ? 100_000 : 300_000;
        int theirs = quick ? 20_000 : 50_000;
        try {
            LoadedMongo mongo = new LoadedMongo();
            Runtime.getRuntime().addShutdownHook(new Thread(mongo::close));
            DebeziumContender.Offsets offsets = DebeziumContender.Offsets.before(mongo);
            mongo.load(ours);
            return List.of(group(mongo, offsets, 1000, ours, theirs), group(mongo, offsets, 100, ours, theirs));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Group group(LoadedMongo mongo, DebeziumContender.Offsets offsets, int batch, int ours, int theirs) {
        return new Group(
                "batch " + batch,
                new DebeziumContender(mongo, offsets, batch, theirs),
                List.of(new SluiceCapture(mongo, batch, ours), new BareDriver(mongo, batch, ours)),
                FLOOR,
                CPU_FLOOR);
    }
}
