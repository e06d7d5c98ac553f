package dev.sluice.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Runs a group: warm-up rounds, then baseline, others, baseline again, and so on. The others are measured by the mean of
 * the two baselines around them; the second baseline by the first, which shows how much of a ratio is noise.
 */
final class Rounds {
    static final int LEAST = 5;

    private final Duration warmUp;
    private final Consumer<String> progress;

    /** @param warmUp how long each contender runs before it counts, at least once: the same time for all */
    Rounds(Duration warmUp, Consumer<String> progress) {
        this.warmUp = warmUp;
        this.progress = progress;
    }

    List<Result> run(Benchmark.Group group, int rounds) throws Exception {
        List<Contender> contenders = new ArrayList<>();
        contenders.add(group.baseline());
        contenders.addAll(group.others());
        contenders.add(group.baseline());
        List<List<Sample>> samples = new ArrayList<>();
        for (Contender contender : contenders) {
            samples.add(new ArrayList<>());
            long start = System.nanoTime();
            do {
                contender.round();
            } while (System.nanoTime() - start < warmUp.toNanos());
        }
        for (int round = 1; round <= rounds; round++) {
            for (int k = 0; k < contenders.size(); k++) {
                Sample sample = contenders.get(k).round();
                samples.get(k).add(sample);
                progress.accept("%s, round %d of %d, %s: %,.0f events/s"
                        .formatted(
                                group.name(), round, rounds, contenders.get(k).name(), sample.eventsPerSecond()));
            }
        }
        return results(group, contenders, samples);
    }

    /**
     * Compares samples that were taken in turns.
     *
     * @param contenders baseline, others, baseline again
     * @param samples one list per contender, one sample per round
     */
    static List<Result> results(Benchmark.Group group, List<Contender> contenders, List<List<Sample>> samples) {
        List<Result> results = new ArrayList<>();
        for (int k = 0; k < contenders.size(); k++) {
            boolean control = k == contenders.size() - 1;
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < samples.get(k).size(); round++) {
                double before = samples.getFirst().get(round).eventsPerSecond();
                double after = samples.getLast().get(round).eventsPerSecond();
                double base = k == 0 || control ? before : (before + after) / 2;
                ratios.add(samples.get(k).get(round).eventsPerSecond() / base);
            }
            String name = contenders.get(k).name() + (control ? " (A/A control)" : "");
            boolean judged = k > 0 && !control && contenders.get(k).isJudged();
            results.add(new Result(
                    group.name(),
                    name,
                    samples.get(k),
                    ratios,
                    cpuRatios(samples.getFirst(), samples.get(k)),
                    judged ? group.floor() : 0,
                    judged ? group.cpuFloor() : 0));
        }
        return results;
    }

    private static List<Double> cpuRatios(List<Sample> baseline, List<Sample> samples) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < samples.size(); round++) {
            ratios.add(
                    baseline.get(round).cpuMicrosPerEvent() / samples.get(round).cpuMicrosPerEvent());
        }
        return ratios;
    }
}
