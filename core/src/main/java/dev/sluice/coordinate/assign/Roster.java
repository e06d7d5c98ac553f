package dev.sluice.coordinate.assign;

import dev.sluice.model.InvalidInputException;
import java.util.Comparator;
import java.util.List;

/** The candidates in the one order all assigners use, checked: by id, each once. */
final class Roster {
    private Roster() {}

    static List<Candidate> of(int partitions, List<Candidate> members) {
        if (partitions < 1) {
            throw new InvalidInputException("the number of partitions must be at least 1, not " + partitions);
        }
        List<Candidate> sorted =
                members.stream().sorted(Comparator.comparing(Candidate::id)).toList();
        for (int k = 1; k < sorted.size(); k++) {
            if (sorted.get(k).id().equals(sorted.get(k - 1).id())) {
                throw new InvalidInputException(
                        "two members have the id " + sorted.get(k).id() + "; give every process an id of its own");
            }
        }
        return sorted;
    }
}
