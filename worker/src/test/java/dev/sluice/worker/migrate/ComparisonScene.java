package dev.sluice.worker.migrate;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.consume.Problems;
import dev.sluice.worker.consume.ServerTrouble;
import dev.sluice.worker.consume.StreamKind;
import dev.sluice.worker.consume.WorkerContext;
import dev.sluice.worker.consume.WorkerLoops;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.TestDelivery;
import dev.sluice.worker.lane.TestFeed;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.simulation.ManualModel;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** A worker with partitions {@code p.0}, {@code p.1} and so on, on the model of a stream; a test hands messages to its lanes. */
final class ComparisonScene implements Clockwork, ShadowComparison.Owner {
    final ManualModel model;
    final WorkerCounters counters = new WorkerCounters();
    final Problems problems = new Problems();
    final List<Lane> lanes = new ArrayList<>();
    final WorkerContext context;
    boolean paused;
    private final TestFeed feed = new TestFeed();
    private int shadows;

    ComparisonScene() {
        this(2, -1);
    }

    ComparisonScene(int count, int maxConsumers) {
        this.model = new ManualModel(Retention.LIMITS, maxConsumers, true);
        List<Partition> partitions = IntStream.range(0, count)
                .mapToObj(i -> Partition.open(i, "" + i, "p." + i))
                .toList();
        PartitionMap map = new PartitionMap(1, partitions);
        this.context = new WorkerContext(
                model.stream(),
                StreamKind.LIMITS,
                1,
                WorkerSettings.DEFAULT,
                counters,
                WorkerListener.NONE,
                problems,
                new WorkerLoops(this, problems),
                new ServerTrouble(this, StreamKind.LIMITS),
                this,
                InstantSource.system(),
                () -> map,
                () -> ConsumerMode.PER_WORKER,
                () -> paused);
        for (Partition partition : partitions) {
            Lane lane = new Lane(partition, new FencingToken(1, 1), Cursor.startingAfter(0, 0), true);
            lane.attach(feed);
            lanes.add(lane);
        }
    }

    ShadowComparison comparison(ConsumerMode target) {
        return new ShadowComparison(context, this, target);
    }

    /** Publishes a message; its lane does not get it. */
    long publish(int partition) {
        return model.publish("p." + partition, new byte[] {'x'});
    }

    /** A lane gets a message, as from the consumer that handles. */
    void take(int partition, long sequence) {
        lanes.get(partition).take(new TestDelivery(sequence, "p." + partition), feed, false, Instant.EPOCH);
        feed.coverage = Math.max(feed.coverage, sequence);
    }

    void publishAndTake(int partition) {
        take(partition, publish(partition));
    }

    List<String> consumers() {
        return model.stream().consumers().names("");
    }

    @Override
    public List<Lane> lanes() {
        return lanes;
    }

    @Override
    public void retire(String consumer) {
        model.stream().consumers().delete(consumer);
    }

    @Override
    public ConsumerSpec shadow(List<String> filters, long startSequence) {
        Duration threshold = Duration.ofMinutes(1);
        return new ConsumerSpec(
                "g-w1-life-" + ++shadows, filters, startSequence, false, threshold, 500, 256, threshold, true);
    }

    @Override
    public long nanos() {
        return model.nanos();
    }

    @Override
    public void start(String name, Runnable body) {
        body.run();
    }

    /** To wait is to let the server work. */
    @Override
    public Signal signal() {
        return new Signal() {
            @Override
            public void raise() {}

            @Override
            public void await(Duration atMost) {
                model.pass(atMost);
            }
        };
    }
}
