package dev.sluice.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Each peer at the best of a small sweep. In the quick run: at what was best on two cores. */
record OutboxPeers(OutboxServers servers, String classPath, int rows, boolean quick, Consumer<String> progress) {
    private static final String PACKAGE = "dev.sluice.bench.peers.";

    OutboxContender namastack() throws Exception {
        List<OutboxContender.Kind> kinds = new ArrayList<>();
        kinds.add(namastack(2_000, 16));
        if (!quick) {
            kinds.add(namastack(500, 8));
            kinds.add(namastack(5_000, 32));
        }
        return best(kinds);
    }

    private static OutboxContender.Kind namastack(int batch, int threads) {
        return new OutboxContender.Kind(
                "namastack-outbox, %,d keys, %d threads".formatted(batch, threads),
                "namastack",
                PACKAGE + "NamastackOutbox",
                true,
                Map.of("batch", "" + batch, "threads", "" + threads, "poll", "10"));
    }

    OutboxContender gruelbox() throws Exception {
        List<OutboxContender.Kind> kinds = new ArrayList<>();
        kinds.add(gruelbox(2_000, 16));
        if (!quick) {
            kinds.add(gruelbox(500, 8));
            kinds.add(gruelbox(4_000, 32));
        }
        return best(kinds);
    }

    private static OutboxContender.Kind gruelbox(int batch, int threads) {
        return new OutboxContender.Kind(
                "gruelbox, %,d rows, %d threads".formatted(batch, threads),
                "gruelbox",
                PACKAGE + "GruelboxOutbox",
                false,
                Map.of("batch", "" + batch, "threads", "" + threads));
    }

    /** Each kind is warmed up and then drains once more; all but the fastest are closed. */
    private OutboxContender best(List<OutboxContender.Kind> kinds) throws Exception {
        List<OutboxContender> open = new ArrayList<>();
        OutboxContender best = null;
        double most = 0;
        for (int k = 0; k < kinds.size(); k++) {
            OutboxContender next = OutboxContender.open(servers, classPath, kinds.get(k), "-" + k, rows);
            open.add(next);
            next.round();
            double speed = next.round().eventsPerSecond();
            progress.accept("sweep, %s: %,.0f events/s".formatted(next.name(), speed));
            if (best == null || speed > most) {
                best = next;
                most = speed;
            }
        }
        for (OutboxContender one : open) {
            if (one != best) {
                one.close();
            }
        }
        return java.util.Objects.requireNonNull(best);
    }
}
