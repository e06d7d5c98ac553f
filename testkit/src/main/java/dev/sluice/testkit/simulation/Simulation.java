package dev.sluice.testkit.simulation;

import dev.sluice.testkit.time.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The kernel: one thread, virtual time, one seed that decides everything that is left to chance. Events happen in the
 * order of their time; those of the same instant in a random order. After every event the invariants are checked.
 *
 * <pre>{@code
 * Simulation.explore(2_000, simulation -> {
 *     Store store = new Store();                                    // durable: survives crashes
 *     Node a = simulation.node("a", node -> {
 *         Member member = new Member(store, node.clock());          // volatile: made anew by every start
 *         node.every(ofMillis(100), "step", member::step);
 *     });
 *     simulation.invariant("one owner", () -> store.owners() <= 1);
 *     new Nemesis(simulation, List.of(a), ofSeconds(5), ofSeconds(20)).disturbFor(ofMinutes(2));
 *     simulation.run(ofMinutes(3));
 * });
 * }</pre>
 */
public final class Simulation {

    private static final int TRACE_LINES = 200;
    private static final int MAX_STEPS = 1_000_000;
    private static final Duration STUCK_AFTER = Duration.ofSeconds(10);

    private record Invariant(String name, BooleanSupplier holds) {}

    private final long seed;
    private final SplittableRandom random;
    private final VirtualClock clock = new VirtualClock();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final List<Invariant> invariants = new ArrayList<>();
    private final Network network = new Network(this);
    private final Trace trace = new Trace(TRACE_LINES);
    private volatile @Nullable Fiber running;
    private long nanos;
    private long scheduled;
    private volatile long steps;

    private Simulation(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    /** Plays the scenario under the seeds 0, 1, 2 …; returns how many steps were taken in all. */
    public static long explore(int schedules, Scenario scenario) {
        return explore(LongStream.range(0, schedules), scenario);
    }

    /**
     * Plays the scenario once per seed and stops at the first that fails, with a {@link SimulationFailure}; returns how
     * many steps were taken in all.
     */
    public static long explore(LongStream seeds, Scenario scenario) {
        return onAVirtualThread(now ->
                seeds.map(seed -> playAndConfirm(seed, scenario, now).steps).sum());
    }

    /**
     * Where handing the baton to a fiber costs little: both are virtual threads. The caller meanwhile looks whether any step
     * is taken at all.
     */
    private static <T> T onAVirtualThread(Function<AtomicReference<Simulation>, T> play) {
        AtomicReference<Simulation> now = new AtomicReference<>();
        FutureTask<T> result = new FutureTask<>(() -> play.apply(now));
        Thread.ofVirtual().name("simulation").start(result);
        String before = "";
        while (true) {
            try {
                return result.get(STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                Simulation simulation = now.get();
                String after = simulation == null ? "" : simulation.seed + "/" + simulation.steps;
                Fiber fiber = simulation == null ? null : simulation.running;
                if (after.equals(before) && fiber != null) {
                    fiber.giveUp();
                }
                before = after;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("The simulation was interrupted.", e);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    /** A failure is worth little if it cannot be replayed, so that is tried at once. */
    private static Simulation playAndConfirm(long seed, Scenario scenario, AtomicReference<Simulation> now) {
        try {
            return play(seed, scenario, now);
        } catch (SimulationFailure failure) {
            String again = "nothing failed";
            try {
                play(seed, scenario, now);
            } catch (SimulationFailure second) {
                again = String.valueOf(second.getMessage());
            }
            if (again.equals(failure.getMessage())) {
                throw failure;
            }
            throw new SimulationFailure(
                    seed,
                    failure.getMessage() + "\nAND A REPLAY WENT ANOTHER WAY ("
                            + again.lines().findFirst().orElse("")
                            + "): look for threads, real time, other random numbers or hash order in the scenario.",
                    failure);
        }
    }

    /** Plays one schedule again, exactly as before; returns its trace, or fails as before. */
    public static Trace replay(long seed, Scenario scenario) {
        return onAVirtualThread(now -> play(seed, scenario, now)).trace;
    }

    private static Simulation play(long seed, Scenario scenario, AtomicReference<Simulation> now) {
        Simulation simulation = new Simulation(seed);
        now.set(simulation);
        try {
            scenario.play(simulation);
        } catch (RuntimeException | Error failure) {
            throw simulation.failure(failure);
        } finally {
            simulation.nodes.values().forEach(Node::killFibers);
        }
        if (simulation.steps == 0) {
            throw new IllegalStateException("The scenario took no step: call run(…) in it.");
        }
        return simulation;
    }

    private SimulationFailure failure(Throwable cause) {
        String message = "Seed " + seed + " fails at step " + steps + ", " + now() + ": " + cause.getMessage()
                + "\nReplay it by Simulation.replay(" + seed + "L, scenario). The last steps:\n" + trace;
        return new SimulationFailure(seed, message, cause);
    }

    /** Makes a node and starts it. */
    public Node node(String name, Boot boot) {
        return node(name, Duration.ZERO, boot);
    }

    /** Makes a node whose wall clock is wrong by {@code skew}, and starts it. */
    public Node node(String name, Duration skew, Boot boot) {
        Node node = new Node(this, name, skew, boot);
        if (nodes.putIfAbsent(name, node) != null) {
            throw new IllegalArgumentException("There is a node \"" + name + "\" already: name each one once.");
        }
        node.restart();
        return node;
    }

    /** All nodes in the order in which they were made. */
    public List<Node> nodes() {
        return List.copyOf(nodes.values());
    }

    public Network network() {
        return network;
    }

    /** True time; a node's own view is {@link Node#clock()}. */
    public VirtualClock clock() {
        return clock;
    }

    /** Time since the start. */
    public Duration now() {
        return Duration.ofNanos(nanos);
    }

    /** Plans something that is no node's doing and that no crash prevents. */
    public void after(Duration delay, String what, Runnable action) {
        schedule(delay, null, 0, what, action);
    }

    /** The same at a time since the start. */
    public void at(Duration time, String what, Runnable action) {
        after(time.minus(now()), what, action);
    }

    /** The same again and again, each time one period, give or take a tenth, after the one before. */
    public void every(Duration period, String what, Runnable action) {
        after(about(period), what, () -> {
            action.run();
            every(period, what, action);
        });
    }

    /** Something that must hold after every step. A check that throws counts as broken, too. */
    public void invariant(String name, BooleanSupplier holds) {
        invariants.add(new Invariant(name, holds));
    }

    /** Lets this much time pass; whatever is planned for later stays planned. May be called again to go on. */
    public void run(Duration time) {
        long end = nanos + time.toNanos();
        for (Event next = events.peek(); next != null && next.nanos() <= end; next = events.peek()) {
            events.remove();
            passTimeUntil(next.nanos());
            happen(next);
        }
        passTimeUntil(end);
    }

    private void happen(Event event) {
        Node node = event.node();
        if (node != null && !node.takes(event)) {
            return;
        }
        if (++steps > MAX_STEPS) {
            throw new IllegalStateException("The run does not end within " + MAX_STEPS + " steps: let it run for less"
                    + " time, or look for a step that plans itself at once.");
        }
        note(node == null ? "world" : node.name(), event.what());
        if (node == null) {
            event.action().run();
        } else {
            node.runStep(event.action());
        }
        for (Invariant invariant : invariants) {
            if (!invariant.holds().getAsBoolean()) {
                throw new AssertionError("\"" + invariant.name() + "\" does not hold");
            }
        }
    }

    private void passTimeUntil(long time) {
        clock.advance(Duration.ofNanos(time - nanos));
        nanos = time;
    }

    void schedule(Duration delay, @Nullable Node node, int life, String what, Runnable action) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("Cannot plan \"" + what + "\" in the past, by " + delay + ".");
        }
        events.add(new Event(nanos + delay.toNanos(), random.nextInt(), scheduled++, node, life, what, action));
    }

    @Nullable
    Fiber runningFiber() {
        return running;
    }

    /** Returns the fiber that was running before. */
    @Nullable
    Fiber switchTo(@Nullable Fiber fiber) {
        Fiber before = running;
        running = fiber;
        return before;
    }

    /** Writes a line into the trace. */
    public void note(String who, String what) {
        trace.add(steps, nanos, who, what);
    }

    public Trace trace() {
        return trace;
    }

    /** The only source of chance in a scenario. */
    public RandomGenerator random() {
        return random;
    }

    public boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    public <T> T pick(List<T> options) {
        return options.get(random.nextInt(options.size()));
    }

    /** A random duration, both ends included. */
    public Duration between(Duration shortest, Duration longest) {
        return Duration.ofNanos(random.nextLong(shortest.toNanos(), longest.toNanos() + 1));
    }

    /** This duration, give or take a tenth. */
    Duration about(Duration period) {
        Duration tenth = period.dividedBy(10);
        return between(period.minus(tenth), period.plus(tenth));
    }
}
