package dev.sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
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
        int ours = 300_000;
        int theirs = quick ? 20_000 : 50_000;
        try {
            LoadedMongo mongo = new LoadedMongo();
            Runtime.getRuntime().addShutdownHook(new Thread(mongo::close));
            DebeziumContender.Offsets offsets = DebeziumContender.Offsets.before(mongo);
            mongo.load(ours);
            Sweep peers = new Sweep(mongo, offsets, theirs, quick);
            return List.of(group(mongo, peers, 1000, ours), group(mongo, peers, 100, ours));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Group group(LoadedMongo mongo, Sweep peers, int batch, int ours) {
        List<Contender> others = new ArrayList<>();
        others.add(new SluiceCapture(mongo, batch, ours));
        others.add(new BareDriver(mongo, batch, ours));
        others.addAll(peers.others());
        return new Group("batch " + batch, peers.at(batch, 8 * batch), others, FLOOR, CPU_FLOOR);
    }

    /** The peer with the same batches as ours, and in the full run at its defaults and with larger ones. */
    private record Sweep(LoadedMongo mongo, DebeziumContender.Offsets offsets, int events, boolean quick) {
        DebeziumContender at(int batch, int queue) {
            return new DebeziumContender(mongo, offsets, batch, queue, events);
        }

        List<Contender> others() {
            return quick ? List.of() : List.of(at(2048, 8192), at(8192, 32768));
        }
    }
}
