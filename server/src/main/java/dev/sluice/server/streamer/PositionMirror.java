package dev.sluice.server.streamer;

import dev.sluice.coordinate.Checkpoints;
import dev.sluice.coordinate.PartitionCheckpoint;
import dev.sluice.run.Loop;
import dev.sluice.run.Loops;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the positions that the group has saved to a store elsewhere, soon after it saved them. It reads what is saved, so
 * the mirror is never ahead; it runs beside everything else, so a mirror that is away costs nothing but a counter and a
 * log line.
 */
final class PositionMirror implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("dev.sluice.streamer");
    private static final Duration LOOK = Duration.ofMillis(200);

    private final Checkpoints saved;
    private final MirroredPositions mirror;
    private final Watched group;
    private final Duration retry;
    private final Runnable failures;
    private final Map<Integer, PartitionCheckpoint> copied = new HashMap<>();
    private @Nullable Loop loop;
    private long copiedGeneration = -1;
    private long savesThen = -1;
    private boolean away;

    /**
     * What it must know of the group.
     *
     * @param saves how often a position was saved
     * @param owns whether a partition is this member's
     */
    record Watched(LongSupplier saves, IntPredicate owns) {}

    /**
     * @param retry how long after a failure it is tried again, at the latest
     * @param failures told of each
     */
    PositionMirror(Checkpoints saved, MirroredPositions mirror, Watched group, Duration retry, Runnable failures) {
        this.saved = saved;
        this.mirror = mirror;
        this.group = group;
        this.retry = retry;
        this.failures = failures;
    }

    void start(Loops loops) {
        loop = loops.loop("streamer-position-mirror").start(() -> {
            step();
            return away ? retry : LOOK;
        });
    }

    /** Copies what was saved since. */
    void step() {
        var saves = group.saves.getAsLong();
        if (saves == savesThen && !away) {
            return;
        }
        try {
            copy(saved.list());
            savesThen = saves;
            away = false;
        } catch (RuntimeException failed) {
            failures.run();
            if (!away) {
                LOG.atWarn()
                        .setCause(failed)
                        .log("positions are not mirrored: it is tried again, and they are safe here meanwhile");
            }
            away = true;
        }
    }

    private void copy(List<PartitionCheckpoint> all) {
        for (var each : all) {
            var ours = each.owner().isEmpty() || group.owns.test(each.partition());
            if (ours && !each.equals(copied.get(each.partition()))) {
                mirror.save(each, all.size());
                copied.put(each.partition(), each);
            }
        }
        var generation = all.isEmpty() ? -1 : all.getFirst().token().generation();
        if (generation > copiedGeneration && mirror.forgetBefore(generation)) {
            copiedGeneration = generation;
        }
    }

    /** After the group's end: what it saved last is copied, too. */
    @Override
    public void close() {
        if (loop != null) {
            loop.close();
        }
        step();
    }
}
