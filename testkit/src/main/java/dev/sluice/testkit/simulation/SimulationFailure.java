package dev.sluice.testkit.simulation;

/** A schedule under which something promised does not hold. The message tells the seed and the last steps. */
public final class SimulationFailure extends AssertionError {

    private final long seed;

    SimulationFailure(long seed, String message, Throwable cause) {
        super(message, cause);
        this.seed = seed;
    }

    /** For {@link Simulation#replay}. */
    public long seed() {
        return seed;
    }
}
