package dev.sluice.testkit.simulation;

import org.jspecify.annotations.Nullable;

/**
 * Something that will happen.
 *
 * @param tie a random number: decides between events of the same instant
 * @param order the order of scheduling: decides when even the ties are equal, so that a replay never differs
 * @param node whose step it is, and in which of its lives; null for the world's
 */
record Event(long nanos, int tie, long order, @Nullable Node node, int life, String what, Runnable action)
        implements Comparable<Event> {

    @Override
    public int compareTo(Event other) {
        int byTime = Long.compare(nanos, other.nanos);
        int byTie = byTime != 0 ? byTime : Integer.compare(tie, other.tie);
        return byTie != 0 ? byTie : Long.compare(order, other.order);
    }
}
