package dev.sluice.bench;

import org.jspecify.annotations.Nullable;

/**
 * Finds the highest rate that holds, in steps of factor 1.25: short trials go up from the first rate until one fails, or down
 * until one holds; then long ones confirm, from there down.
 */
final class RateSearch {
    private static final double FACTOR = 1.25;
    private static final int LOWEST = 500;
    private static final int ROUNDED_TO = 100;

    private final int first;
    private final Probe probe;

    /** Load at one rate. */
    interface Probe {
        /** @param confirms a long trial, else a short one */
        E2eStretch at(int rate, boolean confirms) throws Exception;
    }

    /**
     * @param confirmed the long trial of the highest rate that holds, or of the lowest rate when none does
     * @param above the trial of the next higher rate, which did not hold; null: there is none
     */
    record Found(E2eStretch confirmed, @Nullable E2eStretch above) {}

    RateSearch(int first, Probe probe) {
        this.first = first;
        this.probe = probe;
    }

    Found run() throws Exception {
        E2eStretch above = null;
        int step = 0;
        E2eStretch trial = probe.at(rate(step), false);
        while (trial.holds()) {
            trial = probe.at(rate(++step), false);
        }
        boolean held = step > 0;
        while (rate(step - 1) >= LOWEST) {
            above = trial;
            step--;
            // What a short trial on the way up has held, or one on the way down holds, a long one confirms.
            trial = held ? trial : probe.at(rate(step), false);
            if (held || trial.holds()) {
                held = true;
                trial = probe.at(rate(step), true);
                if (trial.holds()) {
                    break;
                }
            }
        }
        return new Found(trial, above);
    }

    /** On the grid: the same step always is the same rate. */
    private int rate(int step) {
        return (int) Math.round(first * Math.pow(FACTOR, step) / ROUNDED_TO) * ROUNDED_TO;
    }
}
