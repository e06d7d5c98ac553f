package dev.sluice.bench;

import java.util.List;

/** A named comparison. Its contenders take turns, round by round, so that a slow minute of the machine hits all alike. */
public interface Benchmark {
    /** As the command line knows it. */
    String name();

    /** One sentence: what is measured against what. */
    String description();

    /** Groups whose members are compared with each other; the first of each is what the others are measured by. */
    List<Group> groups(boolean quick);

    /**
     * Contenders of the same work.
     *
     * @param baseline what the others are measured by; it runs twice per round, as A/A control
     * @param floor least share of the baseline's throughput that {@code --check} accepts
     * @param cpuFloor so many times less CPU per event than the baseline at least; 0 where that does not matter
     */
    record Group(String name, Contender baseline, List<Contender> others, double floor, double cpuFloor) {
        Group(String name, Contender baseline, List<Contender> others, double floor) {
            this(name, baseline, others, floor, 0);
        }
    }
}
