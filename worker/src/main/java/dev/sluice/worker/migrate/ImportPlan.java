package dev.sluice.worker.migrate;

import dev.sluice.worker.partition.Partitions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an import would do: nothing is written yet.
 *
 * @param streamCreated the creation time of the stream in milliseconds
 * @param starts where partitions begin, by filter
 * @param without filters of partitions that no consumer was found for: they begin as {@code start} says
 * @param problems why it must not be carried out
 */
public record ImportPlan(
        Partitions partitions,
        String names,
        long streamCreated,
        Map<String, Start> starts,
        List<String> without,
        List<String> problems) {
    public ImportPlan {
        starts = new TreeMap<>(starts);
        without = List.copyOf(without);
        problems = List.copyOf(problems);
    }

    /**
     * Where one partition begins.
     *
     * @param consumer the consumer that it is taken from
     * @param ackFloor all messages up to this one were acknowledged there
     * @param after the partition begins behind this message: the ack floor, or the end of the stream when there is nothing
     *     behind the ack floor
     */
    public record Start(String consumer, long ackFloor, long after) {}
}
