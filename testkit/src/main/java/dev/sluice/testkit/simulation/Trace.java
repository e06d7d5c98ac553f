package dev.sluice.testkit.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * What happened, step by step: the last lines are kept, all of them go into the fingerprint. Lines are put together only
 * when somebody reads them, because nearly all runs are never read.
 */
public final class Trace {

    private record Line(long step, long nanos, String node, String what) {
        @Override
        public String toString() {
            return "%6d %12.6f s  %-10s %s".formatted(step, nanos / 1e9, node, what);
        }
    }

    private final Line[] last;
    private long lines;
    private long fingerprint = 1;

    Trace(int kept) {
        last = new Line[kept];
    }

    void add(long step, long nanos, String node, String what) {
        last[(int) (lines++ % last.length)] = new Line(step, nanos, node, what);
        fingerprint = 31 * (31 * (31 * fingerprint + nanos) + node.hashCode()) + what.hashCode();
    }

    /** A hash of every line since the start: two runs with the same one have gone the same way. */
    public long fingerprint() {
        return fingerprint;
    }

    /** The last lines, oldest first. */
    public List<String> lastLines() {
        List<String> text = new ArrayList<>();
        for (long i = Math.max(0, lines - last.length); i < lines; i++) {
            text.add(last[(int) (i % last.length)].toString());
        }
        return text;
    }

    @Override
    public String toString() {
        return String.join("\n", lastLines());
    }
}
