package dev.sluice.testkit.simulation;

/**
 * Builds a cluster in a fresh simulation, runs it, and may assert at the end. Played once per seed, so everything it uses
 * is made inside. For replays to be identical it must decide nothing by threads, real time, random numbers other than the
 * simulation's, or the iteration order of hash tables over objects without a stable hash.
 */
@FunctionalInterface
public interface Scenario {
    void play(Simulation simulation);
}
