package dev.sluice.route;

import dev.sluice.run.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One thread, a clock that moves only when nothing can run, and a seeded choice of what runs next. */
final class SimulatedTurns implements Turns {
    private final Random random;
    private final List<Task> tasks = new ArrayList<>();
    private final List<SimulatedLoop> loops = new ArrayList<>();
    private long nanos = 1_000_000_000L;
    private long idled;

    SimulatedTurns(Random random) {
        this.random = random;
    }

    private record Task(long at, Runnable work) {}

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public Instant now() {
        return Instant.ofEpochSecond(1_700_000_000).plusNanos(nanos);
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public Loop loop(String name, Step step) {
        SimulatedLoop loop = new SimulatedLoop(step);
        loops.add(loop);
        return loop;
    }

    @Override
    public Loop background(String name, Step step) {
        return loop(name, step);
    }

    @Override
    public void after(Duration delay, Runnable task) {
        tasks.add(new Task(nanos + delay.toNanos(), task));
    }

    /** Whoever is running found nothing to do, and would have waited so long. */
    void idle(Duration wait) {
        idled = Math.max(idled, wait.toNanos());
    }

    /** Runs one thing that can run. Returns false when nothing can, now. */
    boolean turn() {
        loops.removeIf(loop -> loop.over);
        List<Runnable> ready = new ArrayList<>();
        for (SimulatedLoop loop : loops) {
            if (loop.at - nanos <= 0) {
                ready.add(loop::step);
            }
        }
        for (Task task : tasks) {
            if (task.at - nanos <= 0) {
                ready.add(() -> {
                    tasks.remove(task);
                    task.work.run();
                });
            }
        }
        if (ready.isEmpty()) {
            return false;
        }
        ready.get(random.nextInt(ready.size())).run();
        return true;
    }

    /** Moves the clock to what comes next, at most so far. */
    void pass(Duration atMost) {
        long next = nanos + atMost.toNanos();
        for (SimulatedLoop loop : loops) {
            next = Math.min(next, Math.max(loop.at, nanos));
        }
        for (Task task : tasks) {
            next = Math.min(next, Math.max(task.at, nanos));
        }
        nanos = Math.max(nanos + 1, next);
    }

    /** Everything that happens within this time. */
    void run(Duration time) {
        long end = nanos + time.toNanos();
        while (nanos < end) {
            while (turn()) {
                if (random.nextInt(20) == 0) {
                    nanos += 1_000; // work takes time, or a loop that never pauses would hold the clock
                }
            }
            pass(Duration.ofNanos(Math.max(1, end - nanos)));
        }
    }

    private final class SimulatedLoop implements Loop {
        private final Step step;
        private long at;
        private boolean over;

        SimulatedLoop(Step step) {
            this.step = step;
            this.at = nanos;
        }

        void step() {
            if (over) {
                return;
            }
            idled = 0;
            @Nullable Duration pause = step.run();
            if (pause == null) {
                over = true;
            } else {
                at = nanos + Math.max(Math.max(pause.toNanos(), idled), 200_000);
            }
        }

        @Override
        public void wake() {
            at = nanos;
        }

        @Override
        public void stop() {
            over = true;
        }

        @Override
        public boolean isOver() {
            return over;
        }
    }
}
