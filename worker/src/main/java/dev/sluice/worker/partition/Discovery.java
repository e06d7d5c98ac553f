package dev.sluice.worker.partition;

import dev.sluice.worker.stream.MessageStream;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * Finds new subjects of a pattern and gives them partitions. The leader of the group calls {@link #step} every {@code
 * discover}; it has no thread and no clock of its own.
 */
public final class Discovery {
    private final PartitionDirectory directory;
    private final MessageStream stream;
    private final IntConsumer grow;
    private String problem = "";

    /** @param grow gives the group at least so many partitions, such as {@code GroupControl::grow} */
    public Discovery(PartitionDirectory directory, MessageStream stream, IntConsumer grow) {
        this.directory = directory;
        this.stream = stream;
        this.grow = grow;
    }

    /**
     * Looks the subjects up once and appends the new ones. Also grows a group that has fewer partitions than its directory,
     * after a leader that ended between the two, or after a change by a command.
     *
     * @return how many partitions are new
     */
    public int step() {
        PartitionMap before = directory.read();
        PartitionMap after = before;
        problem = "";
        Optional<Partitions> partitions = directory.partitions();
        if (partitions.isPresent() && partitions.get() instanceof SubjectPattern pattern) {
            Set<String> subjects = stream.subjects(pattern.filter()).keySet();
            after = directory.discovered(subjects);
            problem = problem(pattern, subjects, after);
        }
        if (after.size() > 0) {
            grow.accept(after.size());
        }
        return after.size() - before.size();
    }

    private static String problem(SubjectPattern pattern, Set<String> subjects, PartitionMap partitions) {
        boolean full = partitions.size() >= PartitionDirectory.MAX_PARTITIONS;
        boolean leftOut = full
                && subjects.stream()
                        .anyMatch(subject -> pattern.idOf(subject).isPresent() && partitions.of(subject) == null);
        return leftOut
                ? "The group has " + PartitionDirectory.MAX_PARTITIONS + " partitions, the maximum, and "
                        + pattern.describe() + " matches more subjects: messages of the remaining subjects are not"
                        + " handled. Use"
                        + " hashed partitions, or a narrower pattern and another consumer prefix."
                : "";
    }

    /** Why not every subject of the pattern has a partition, as of the last step; empty when each has. */
    public String problem() {
        return problem;
    }
}
