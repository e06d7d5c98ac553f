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
import dev.sluice.worker.lane.Feed;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.simulation.ManualModel;
import dev.sluice.worker.stream.ConsumerSpec;
import dev.sluice.worker.stream.Delivery;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A worker with two partitions, {@code p.0} and {@code p.1}, on the model of a stream; a test hands messages to its lanes. */
final class ComparisonScene implements Clockwork, ShadowComparison.Specs {
    final ManualModel model = new ManualModel(Retention.LIMITS, -1, true);
    final WorkerCounters counters = new WorkerCounters();
    final Problems problems = new Problems();
    final List<Lane> lanes = new ArrayList<>();
    final WorkerContext context;
    boolean paused;
    private final ByHand feed = new ByHand();
    private int shadows;

    ComparisonScene() {
        List<Partition> partitions = List.of(Partition.open(0, "0", "p.0"), Partition.open(1, "1", "p.1"));
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
        return new ShadowComparison(context, () -> lanes, this, target);
    }

    /** Publishes a message; its lane does not get it. */
    long publish(int partition) {
        return model.publish("p." + partition, new byte[] {'x'});
    }

    /** A lane gets a message, as from the consumer that handles. */
    void take(int partition, long sequence) {
        lanes.get(partition).take(new TakenMessage("p." + partition, sequence), feed, false, Instant.EPOCH);
        feed.coverage = Math.max(feed.coverage, sequence);
    }

    void publishAndTake(int partition) {
        take(partition, publish(partition));
    }

    List<String> consumers() {
        return model.stream().consumers().names("");
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

    static final class ByHand implements Feed {
        private long coverage;

        @Override
        public long coverage() {
            return coverage;
        }

        @Override
        public void taken(int bytes) {}

        @Override
        public void settled(int bytes) {}

        @Override
        public boolean acksReplaced() {
            return true;
        }

        @Override
        public void pullMore() {}
    }

    private record TakenMessage(String subject, long sequence) implements Delivery {
        @Override
        public long consumerSequence() {
            return sequence;
        }

        @Override
        public long deliveryCount() {
            return 1;
        }

        @Override
        public long pending() {
            return 0;
        }

        @Override
        public int size() {
            return 0;
        }

        @Override
        public void ack() {}

        @Override
        public void inProgress() {}

        @Override
        public Instant storedAt() {
            return Instant.EPOCH;
        }

        @Override
        public Map<String, List<String>> headers() {
            return Map.of();
        }

        @Override
        public byte[] data() {
            return new byte[0];
        }
    }
}
