package dev.sluice.testkit.simulation;

/**
 * Starts a node, at first and after every crash: makes its volatile state anew, sets what it does with messages, and
 * schedules its first steps. What is durable lives outside and survives.
 */
@FunctionalInterface
public interface Boot {
    void start(Node node);
}
