package dev.sluice.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The samples of one contender and its ratios to the baseline of the same round.
 *
 * @param ratios of events per second, to the baseline's
 * @param cpuRatios how many times less CPU per event than the baseline
 * @param floor of the ratio; 0 where none applies
 * @param cpuFloor of the CPU ratio; 0 where none applies
 */
public record Result(
        String group,
        String contender,
        List<Sample> samples,
        List<Double> ratios,
        List<Double> cpuRatios,
        double floor,
        double cpuFloor) {
    public boolean passes() {
        return ratio().median() >= floor && cpuRatio().median() >= cpuFloor;
    }

    public Spread cpuRatio() {
        return Spread.of(cpuRatios);
    }

    public Spread throughput() {
        return Spread.of(samples.stream().map(Sample::eventsPerSecond).toList());
    }

    public Spread cpu() {
        return Spread.of(samples.stream().map(Sample::cpuMicrosPerEvent).toList());
    }

    public Spread ratio() {
        return Spread.of(ratios);
    }

    /** Median and range. */
    public record Spread(double least, double median, double most) {
        static Spread of(List<Double> values) {
            List<Double> sorted = new ArrayList<>(values);
            Collections.sort(sorted);
            int middle = sorted.size() / 2;
            double median =
                    sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
            return new Spread(sorted.getFirst(), median, sorted.getLast());
        }
    }
}
