package dev.sluice.worker.chaos;

import dev.sluice.testkit.faults.Fault;
import dev.sluice.testkit.faults.FaultProxy;
import dev.sluice.testkit.process.ProcessSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Worker processes and the servers they use, hurt at random by one thread. */
final class WorkerChaos implements AutoCloseable {
    private static final int MOST_WORKERS = 4;
    private static final int FEWEST_WORKERS = 2;

    private static final Duration MOVES_WITHIN = Duration.ofSeconds(5);

    enum Harm {
        /** Planned: a worker joins, or one is asked to leave. */
        MOVE,
        KILL,
        /** SIGSTOP beyond the lease. */
        FREEZE,
        /** A worker's connections are reset, or nothing gets through. */
        CUT,
        /** In the middle of a rebalance. */
        SERVER_RESTART
    }

    private record Cure(long at, Runnable action) {}

    private final ChaosServer server;
    private final HandlingLedger ledger;
    private final DraftLeader draft;
    private final Random random;
    private final Duration lease;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final List<WorkerProcess> healthy = new ArrayList<>();
    private final Set<String> members = new HashSet<>();
    private final PriorityQueue<Cure> cures = new PriorityQueue<>(Comparator.comparingLong(Cure::at));
    private final Map<Harm, Integer> done = new EnumMap<>(Harm.class);

    /** @param arguments of a worker with this name, whose server has this address */
    WorkerChaos(
            String run,
            WorkerProgram program,
            ChaosServer server,
            HandlingLedger ledger,
            DraftLeader draft,
            Random random,
            Function<WorkerAt, ChaosArguments> arguments) {
        this.server = server;
        this.ledger = ledger;
        this.draft = draft;
        this.random = random;
        for (int k = 0; k < MOST_WORKERS; k++) {
            FaultProxy network = server.port() == 0 ? null : FaultProxy.inFrontOf(server.port());
            String urls = network == null ? server.urls() : "nats://127.0.0.1:" + network.port();
            ChaosArguments told = arguments.apply(new WorkerAt("w" + k, urls, random.nextLong()));
            ProcessSpec spec = ProcessSpec.java(run + "-w" + k, program.mainClass, told.toArray())
                    .withJvmOptions(
                            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx160m", "-Dsluice.test.log=INFO");
            workers.add(new WorkerProcess("w" + k, spec, network));
        }
        this.lease = arguments.apply(new WorkerAt("w0", "", 0)).lease();
    }

    /** A worker's name, the address of its server, and the seed of its own faults. */
    record WorkerAt(String name, String urls, long seed) {}

    /** The first workers, at once. */
    void startFirst() {
        List<WorkerProcess> first = workers.subList(0, FEWEST_WORKERS);
        first.forEach(WorkerProcess::start);
        first.forEach(WorkerProcess::awaitStarted);
        first.forEach(worker -> members.add(worker.name));
        first.forEach(this::joined);
    }

    /** All workers leave in order; they come back with {@link #startFirst}. */
    void stopAll() {
        for (WorkerProcess worker : List.copyOf(healthy)) {
            leave(worker);
        }
    }

    /** These harms, one after the other with pauses; a pause of the lease and more follows a crash, so that it is noticed. */
    void run(List<Harm> harms) throws InterruptedException {
        for (Harm harm : harms) {
            harm(harm);
            pass(millis(300, 900));
            while (healthy.size() < FEWEST_WORKERS) {
                pass(millis(50, 51));
            }
        }
    }

    /** Random harms for so long, with at least so many moves and crashes. */
    void run(Duration time, int moves, int crashes) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end || count(Harm.MOVE) < moves || count(Harm.KILL) < crashes) {
            if (healthy.size() >= FEWEST_WORKERS) {
                harm(Harm.values()[random.nextInt(Harm.values().length)]);
            }
            pass(millis(500, 2 * (int) lease.toMillis()));
        }
    }

    /** Ends everything that still hurts. */
    void heal() {
        cureWhatIsDue(Long.MAX_VALUE);
        cureWhatIsDue(Long.MAX_VALUE);
    }

    int count(Harm harm) {
        return done.getOrDefault(harm, 0);
    }

    int living() {
        return (int) workers.stream().filter(WorkerProcess::isAlive).count();
    }

    String done() {
        return done.toString();
    }

    private void harm(Harm harm) {
        done.merge(harm, 1, Integer::sum);
        tell(harm.name());
        switch (harm) {
            case MOVE -> move().ifPresent(this::awaitAtWork);
            case KILL -> kill(pick());
            case FREEZE -> freeze(pick());
            case CUT -> cut(pick());
            case SERVER_RESTART -> restartServer();
        }
    }

    private Optional<WorkerProcess> move() {
        List<WorkerProcess> idle = workers.stream()
                .filter(worker -> !worker.isAlive() && !members.contains(worker.name))
                .toList();
        boolean mayLeave = healthy.size() > FEWEST_WORKERS;
        if (!idle.isEmpty() && (!mayLeave || random.nextBoolean())) {
            WorkerProcess worker = idle.get(random.nextInt(idle.size()));
            worker.start();
            worker.awaitStarted();
            joined(worker);
            return Optional.of(worker);
        } else if (mayLeave) {
            leave(pick());
        }
        return Optional.empty();
    }

    /** A move is over when the worker has handled something; one that gets nothing in this time is left behind. */
    private void awaitAtWork(WorkerProcess worker) {
        long end = System.nanoTime() + lease.plus(MOVES_WITHIN).toNanos();
        while (System.nanoTime() < end && ledger.partitionsOf(worker.id()) == 0) {
            quietly(() -> TimeUnit.MILLISECONDS.sleep(20));
        }
    }

    private void joined(WorkerProcess worker) {
        tell(worker.id() + " joins");
        members.add(worker.name);
        draft.members(members);
        healthy.add(worker);
    }

    private void leave(WorkerProcess worker) {
        tell(worker.id() + " leaves");
        healthy.remove(worker);
        members.remove(worker.name);
        draft.members(members);
        worker.terminate();
    }

    private void kill(WorkerProcess worker) {
        tell(worker.id() + " is killed");
        worker.kill();
        draft.members(without(worker));
        // Back at once, as after a crash under a supervisor, or after its lease.
        long back = random.nextInt(3) == 0 ? 0 : lease.toMillis() + 1_000;
        later(back, () -> {
            worker.start();
            worker.awaitStarted();
            joined(worker);
        });
    }

    private void freeze(WorkerProcess worker) {
        tell(worker.id() + " is frozen");
        Disturbances.Span span = ledger.disturbances().begin(worker.id());
        worker.freeze();
        draft.members(without(worker));
        later(lease.toMillis() + random.nextInt(700, 2_000), () -> {
            tell(worker.id() + " goes on");
            worker.thaw();
            span.end();
            draft.members(members);
            healthy.add(worker);
        });
    }

    private void cut(WorkerProcess worker) {
        FaultProxy network = worker.network();
        if (network == null) {
            healthy.add(worker);
            return;
        }
        tell(worker.id() + " is cut off");
        Disturbances.Span span = ledger.disturbances().begin(worker.id());
        switch (random.nextInt(3)) {
            case 0 -> network.dropConnections();
            case 1 -> network.cut();
            default -> network.set(new Fault.Swallow());
        }
        later(random.nextInt(100, (int) lease.toMillis() * 3 / 2), () -> {
            network.heal();
            span.end();
            healthy.add(worker);
        });
    }

    private void restartServer() {
        move();
        quietly(() -> TimeUnit.NANOSECONDS.sleep(millis(0, 900)));
        tell("server restarts");
        Disturbances.Span span = ledger.disturbances().begin(Disturbances.ALL);
        server.restart(random);
        span.end();
    }

    private Set<String> without(WorkerProcess worker) {
        Set<String> others = new HashSet<>(members);
        others.remove(worker.name);
        return others;
    }

    private WorkerProcess pick() {
        return healthy.remove(random.nextInt(healthy.size()));
    }

    private void later(long inMillis, Runnable action) {
        cures.add(new Cure(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(inMillis), action));
    }

    private void pass(long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            cureWhatIsDue(System.nanoTime());
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private void cureWhatIsDue(long now) {
        while (!cures.isEmpty() && cures.element().at <= now) {
            cures.remove().action.run();
        }
    }

    private long millis(int least, int most) {
        return TimeUnit.MILLISECONDS.toNanos(random.nextInt(least, most));
    }

    private static void tell(String what) {
        System.out.printf("%tT.%<tL %s%n", System.currentTimeMillis(), what);
    }

    private interface Pause {
        void run() throws InterruptedException;
    }

    private static void quietly(Pause pause) {
        try {
            pause.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
    }
}
