package dev.sluice.route;

import dev.sluice.deliver.BatchOutcome;
import dev.sluice.deliver.Deliverer;
import dev.sluice.deliver.DeliveryBatch;
import dev.sluice.run.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;

/** The turns of one process: when it crashes nothing of it goes on, while the world around it does. */
final class Life implements Turns {
    private final SimulatedTurns world;
    private boolean alive = true;

    /** When the clock has been asked so often, an Error comes out once; 0: never. */
    int failsAfter;

    /** So many tasks cannot be scheduled. */
    int failingTasks;

    Life(SimulatedTurns world) {
        this.world = world;
    }

    void end() {
        alive = false;
    }

    @Override
    public long nanos() {
        if (failsAfter > 0 && --failsAfter == 0) {
            throw new OutOfMemoryError("for a moment");
        }
        return world.nanos();
    }

    @Override
    public Instant now() {
        return world.now();
    }

    @Override
    public RandomGenerator random() {
        return world.random();
    }

    @Override
    public Loop loop(String name, Step step) {
        return world.loop(name, () -> alive ? step.run() : null);
    }

    @Override
    public Loop background(String name, Step step) {
        return loop(name, step);
    }

    @Override
    public void after(Duration delay, Runnable task) {
        if (failingTasks > 0) {
            failingTasks--;
            throw new OutOfMemoryError("for a moment");
        }
        world.after(delay, () -> {
            if (alive) {
                task.run();
            }
        });
    }

    Deliverer reaching(Deliverer gateway) {
        return reaching(gateway, new Interruptions());
    }

    /** Its requests arrive; answers are dropped when it is dead. */
    Deliverer reaching(Deliverer gateway, Interruptions interruptions) {
        return new Deliverer() {
            @Override
            public CompletionStage<BatchOutcome> deliver(DeliveryBatch batch) {
                CompletableFuture<BatchOutcome> answer = new CompletableFuture<>();
                interruptions.in(Interruptions.Step.SENDING);
                if (alive) {
                    gateway.deliver(batch).whenComplete((outcome, bug) -> {
                        interruptions.in(Interruptions.Step.BEFORE_ANSWER);
                        if (alive) {
                            answer.complete(outcome);
                        }
                    });
                }
                return answer;
            }

            @Override
            public Duration unfencedFor() {
                return gateway.unfencedFor();
            }

            @Override
            public void close() {}
        };
    }
}
