package dev.sluice.worker.partition;

import java.util.List;
import java.util.Optional;

/** How the subjects of a stream are divided into partitions, as configured. */
public sealed interface Partitions permits SubjectList, SubjectPattern, HashedSubjects {
    /** One partition per subject. A subject that is named twice counts once, see {@link #duplicates}. */
    static Partitions list(List<String> subjects) {
        return SubjectList.of(subjects);
    }

    /**
     * One partition per subject of the stream that matches, such as {@code dc.{tool}.{chamber}.completion}. A token in
     * braces is variable; the partition's id is the variable tokens, joined by dots.
     */
    static Partitions pattern(String pattern) {
        return SubjectPattern.of(pattern);
    }

    /**
     * One partition per hash slot. The stream's subject transform writes the slot into the subject: {@code
     * <prefix>.<n>.<slot>.…}, see {@link HashedTransform}.
     */
    static Partitions hashed(String prefix, int n) {
        return new HashedSubjects(prefix, n);
    }

    /** The partitions that follow from the configuration alone; none for a pattern. */
    List<PartitionSpec> known();

    /** The id of the partition with this filter; empty when the filter does not belong to these partitions. */
    Optional<String> idOf(String filter);

    /** How many subjects were named more than once and were removed: an anomaly of the configuration. */
    default int duplicates() {
        return 0;
    }

    /** A short form for messages, such as {@code hashed(orders, 64)}. */
    String describe();
}
