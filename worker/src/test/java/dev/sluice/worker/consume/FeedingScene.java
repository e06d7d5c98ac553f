package dev.sluice.worker.consume;

import dev.sluice.coordinate.Clockwork;
import dev.sluice.model.FencingToken;
import dev.sluice.worker.Outcome;
import dev.sluice.worker.Partition;
import dev.sluice.worker.WorkerCounters;
import dev.sluice.worker.WorkerListener;
import dev.sluice.worker.WorkerSettings;
import dev.sluice.worker.WorkerSettings.ConsumerMode;
import dev.sluice.worker.cursor.Cursor;
import dev.sluice.worker.lane.Lane;
import dev.sluice.worker.lane.LaneRunner;
import dev.sluice.worker.partition.PartitionMap;
import dev.sluice.worker.simulation.ManualModel;
import dev.sluice.worker.stream.ConsumerState;
import dev.sluice.worker.stream.StreamState.Retention;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The consumers of one worker on the model of a stream with ten partitions, {@code p.0} to {@code p.9}. */
final class FeedingScene {
    final ManualTime time = new ManualTime();
    final ManualModel model;
    final ServerTrouble trouble;
    final WorkerContext context;
    final Feeding feeding;
    final List<Long> handled = new ArrayList<>();
    /** The present consumer mode. */
    ConsumerMode mode = ConsumerMode.PER_WORKER;

    /** How often a consumer was refused because another one has its subjects. */
    int overlaps;

    private final PartitionMap partitions = new PartitionMap(
            1,
            IntStream.range(0, 10)
                    .mapToObj(i -> Partition.open(i, "" + i, "p." + i))
                    .toList());

    FeedingScene(Retention retention) {
        this(retention, draft -> {});
    }

    FeedingScene(Retention retention, Consumer<WorkerSettings.Draft> settings) {
        StreamKind kind = StreamKind.of(retention);
        this.model = new ManualModel(retention, -1, true);
        this.trouble = new ServerTrouble(time, kind);
        this.context = time.context(
                model.stream(), kind, trouble, partitions, WorkerSettings.DEFAULT.with(settings), () -> mode);
        ConsumerSpecs specs = new ConsumerSpecs("g", "w1", "life", kind, context.settings());
        Clockwork.Signal signal = time.signal();
        this.feeding = new Feeding(context, specs, new OtherWorkers(), signal, signal);
    }

    private final class OtherWorkers implements Readers.Others {
        @Override
        public boolean haveConsumerOf(int partition) {
            return true;
        }

        @Override
        public void subjectsTaken() {
            overlaps++;
        }
    }

    /** A lane whose partition no worker has handled yet. */
    LaneRunner lane(int index) {
        Lane lane =
                new Lane(partitions.at(index).orElseThrow(), new FencingToken(1, 1), Cursor.startingAfter(0, 0), true);
        lane.markFresh();
        return new LaneRunner(
                lane,
                () -> true,
                new LaneRunner.Shop(
                        (context, message) -> {
                            handled.add(message.sequence());
                            return Outcome.done();
                        },
                        given -> null,
                        WorkerSettings.DEFAULT,
                        new WorkerCounters(),
                        WorkerListener.NONE,
                        time,
                        InstantSource.system(),
                        "w1",
                        () -> false,
                        recorded -> {}));
    }

    void publish(String subject) {
        model.publish(subject, new byte[] {'x'});
    }

    void publishAndPass(String... subjects) {
        for (String subject : subjects) {
            publish(subject);
        }
        pass();
    }

    /** Lets the server work. */
    void pass() {
        model.pass(Duration.ofSeconds(1));
    }

    /** The filters of the only consumer, as the server has them. */
    List<String> filters() {
        pass();
        List<String> names = context.stream().consumers().names("");
        return context.stream()
                .consumers()
                .info(names.getLast())
                .map(ConsumerState::filters)
                .orElseThrow();
    }
}
