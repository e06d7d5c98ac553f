package dev.sluice.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The contenders of one shape. The bare loop is what the others are measured by; it takes the first and the last turn of a
 * round, as A/A control.
 */
final class WorkerField implements AutoCloseable {
    private static final int WORKERS = 25;
    private static final int BATCH = 500;
    private static final double FLOOR = 0.8;
    private static final int OURS = 1;
    private static final int MOST_CONSUMERS = 256;

    private final WorkerShape shape;
    private final List<WorkerContender> contenders = new ArrayList<>();

    WorkerField(BenchServers servers, WorkerShape shape, WorkerFeed feed) throws IOException {
        this.shape = shape;
        contenders.add(contender(servers, feed, "bare loop", "bare"));
        contenders.add(contender(servers, feed, "Sluice worker", "sluice"));
        if (shape.hashed() && shape.partitions() <= MOST_CONSUMERS) {
            contenders.add(contender(servers, feed, "bare loop, consumer per partition", "bare-per-partition"));
        }
    }

    private WorkerContender contender(BenchServers servers, WorkerFeed feed, String name, String kind)
            throws IOException {
        List<String> arguments = List.of(
                kind,
                servers.address(WorkerBenchmark.SERVER),
                shape.toString(),
                String.valueOf(WORKERS),
                String.valueOf(BATCH));
        return new WorkerContender(
                name,
                new CommandedProcess(name, BenchHome.own(), WorkerProcess.class, arguments, servers.directory()),
                feed,
                new ProcessFigures(servers.pid(WorkerBenchmark.SERVER)));
    }

    int turns() {
        return contenders.size() + 1;
    }

    boolean isControl(int turn) {
        return turn == contenders.size();
    }

    WorkerContender contender(int turn) {
        return contenders.get(turn % contenders.size());
    }

    String name(int turn) {
        return contender(turn).name() + (isControl(turn) ? " (A/A control)" : "");
    }

    /**
     * Ratios to the mean of the two bare turns of the round; those of the control, to the first.
     *
     * @param loads one list per turn of a round
     */
    List<Result> results(String load, List<List<WorkerTurn.Load>> loads) {
        List<List<Sample>> samples = loads.stream()
                .map(each -> each.stream().map(WorkerTurn.Load::sample).toList())
                .toList();
        List<Result> results = new ArrayList<>();
        for (int turn = 0; turn < turns(); turn++) {
            List<Double> ratios = new ArrayList<>();
            List<Double> cpuRatios = new ArrayList<>();
            for (int round = 0; round < samples.get(turn).size(); round++) {
                Sample first = samples.getFirst().get(round);
                Sample last = samples.getLast().get(round);
                boolean byFirst = turn == 0 || isControl(turn);
                double base =
                        byFirst ? first.eventsPerSecond() : (first.eventsPerSecond() + last.eventsPerSecond()) / 2;
                Sample sample = samples.get(turn).get(round);
                ratios.add(sample.eventsPerSecond() / base);
                cpuRatios.add(first.cpuMicrosPerEvent() / sample.cpuMicrosPerEvent());
            }
            results.add(new Result(
                    shape + " " + load, name(turn), samples.get(turn), ratios, cpuRatios, turn == OURS ? FLOOR : 0, 0));
        }
        return results;
    }

    @Override
    public void close() {
        contenders.forEach(WorkerContender::close);
    }
}
