package dev.sluice.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** One way of reading the stream, in a process of its own, and the load it is put under. */
final class WorkerContender implements AutoCloseable {
    /** More than 25 consumers may hold at once. */
    private static final int LEAD = 20_000;

    private static final int MOST_PER_SECOND = 50_000;
    private static final int POLL_MILLIS = 10;
    private static final long PATIENCE_NANOS = 240_000_000_000L;

    private final String name;
    private final CommandedProcess process;
    private final WorkerFeed feed;
    private final ProcessFigures server;
    private int phase;

    /**
     * The load of one turn.
     *
     * @param rampSeconds of flood and steady load before their measurement begins
     */
    record Plan(int backlog, int rampSeconds, int floodSeconds, int steadySeconds) {}

    WorkerContender(String name, CommandedProcess process, WorkerFeed feed, ProcessFigures server) {
        this.name = name;
        this.process = process;
        this.feed = feed;
        this.server = server;
    }

    String name() {
        return name;
    }

    /**
     * One turn; the stream holds nothing but the backlog, published as phase 0.
     *
     * @param steadyRate messages/s; 0: six tenths of what this contender handles when flooded
     */
    WorkerTurn turn(String run, Plan plan, double steadyRate) throws Exception {
        Reading before = begin(run, plan.backlog);
        double startSeconds = (System.nanoTime() - before.nanos) / 1e9;
        WorkerTurn.Load drain = drained(before, plan.backlog);
        WorkerTurn.Load flood = load(plan.rampSeconds, plan.floodSeconds, new WorkerFeed.Pace(MOST_PER_SECOND, LEAD));
        double rate = steadyRate > 0 ? steadyRate : flood.sample().eventsPerSecond() * 0.6;
        WorkerTurn.Load steady =
                load(plan.rampSeconds, plan.steadySeconds, new WorkerFeed.Pace(rate, Integer.MAX_VALUE));
        long heap = Long.parseLong(process.command("heap"));
        long resident = new ProcessFigures(process.pid()).residentBytes();
        process.command("stop");
        return new WorkerTurn(startSeconds, drain, flood, steady, heap, resident);
    }

    /** Drains a backlog and does nothing else; the stream holds nothing but it, published as phase 0. */
    WorkerTurn.Load catchUp(String run, int backlog) throws Exception {
        WorkerTurn.Load drain = drained(begin(run, backlog), backlog);
        process.command("stop");
        return drain;
    }

    /** Returns the reading from before the start. */
    private Reading begin(String run, int backlog) throws IOException {
        phase = 0;
        process.command("begin 0 %d %d".formatted(backlog, Long.MAX_VALUE));
        Reading before = read();
        process.command("start " + run);
        return before;
    }

    /** @param nanos when it was taken */
    private record Reading(long nanos, long count, long cpuNanos, long serverCpuNanos) {}

    private Reading read() throws IOException {
        String[] words = process.command("cpu").split(" ");
        return new Reading(System.nanoTime(), Long.parseLong(words[0]), Long.parseLong(words[1]), server.cpuNanos());
    }

    /** The time runs from the first message, since starting is told apart; the CPU is that of the start, too. */
    private WorkerTurn.Load drained(Reading before, int backlog) throws Exception {
        await(backlog);
        Reading after = read();
        String[] figures = process.command("figures").split(" ");
        Sample sample = new Sample(after.count, Long.parseLong(figures[1]) * 1_000, after.cpuNanos - before.cpuNanos);
        return load(sample, before, after, figures);
    }

    private WorkerTurn.Load load(int rampSeconds, int seconds, WorkerFeed.Pace pace) throws Exception {
        int most = (int) Math.min(pace.perSecond() * (rampSeconds + seconds) * 2, 8_000_000);
        phase++;
        process.command("begin %d %d %d".formatted(phase, most, BenchMessage.now() + rampSeconds * 1_000_000L));
        AtomicBoolean enough = new AtomicBoolean();
        int number = phase;
        CompletableFuture<Integer> published = new CompletableFuture<>();
        Thread.ofPlatform().name("publisher").start(() -> {
            try {
                published.complete(feed.publish(number, most, pace, new Polled(process), enough::get));
            } catch (Exception | Error failed) {
                published.completeExceptionally(failed);
            }
        });
        Thread.sleep(Duration.ofSeconds(rampSeconds));
        Reading before = read();
        Thread.sleep(Duration.ofSeconds(seconds));
        Reading after = read();
        enough.set(true);
        await(published.get());
        Sample sample =
                new Sample(after.count - before.count, after.nanos - before.nanos, after.cpuNanos - before.cpuNanos);
        return load(sample, before, after, process.command("figures").split(" "));
    }

    private static WorkerTurn.Load load(Sample sample, Reading before, Reading after, String[] figures) {
        return new WorkerTurn.Load(
                sample,
                after.serverCpuNanos - before.serverCpuNanos,
                Long.parseLong(figures[0]),
                new WorkerTurn.Latency(
                        Long.parseLong(figures[2]), Long.parseLong(figures[3]), Long.parseLong(figures[4])));
    }

    private void await(long messages) throws Exception {
        long patience = System.nanoTime() + PATIENCE_NANOS;
        long count = Long.parseLong(process.command("count"));
        while (count < messages) {
            if (System.nanoTime() > patience) {
                throw new IllegalStateException("%s handled only %,d of %,d messages".formatted(name, count, messages));
            }
            Thread.sleep(POLL_MILLIS);
            count = Long.parseLong(process.command("count"));
        }
    }

    /** The number of handled messages, asked for now and then: each question costs the workers a little. */
    private static final class Polled implements LongSupplier {
        private final CommandedProcess process;
        private long askedAt = System.nanoTime();
        private long count;

        Polled(CommandedProcess process) {
            this.process = process;
        }

        @Override
        public long getAsLong() {
            if (System.nanoTime() - askedAt > POLL_MILLIS * 1_000_000L) {
                try {
                    count = Long.parseLong(process.command("count"));
                    askedAt = System.nanoTime();
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            }
            return count;
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
