package dev.sluice.deliver;

import dev.sluice.model.ProgressMarker;
import java.util.List;

/**
 * How far one partition has got with the subscriptions of a gateway: every match up to the marker is acknowledged. It counts for
 * the gateway's own subscriptions whose revision is at or below {@code revision} and that are not excepted.
 *
 * @param generation of the number of partitions
 * @param partitions how many there are
 * @param marker names every log
 * @param revision of the registry that the partition has applied
 * @param except subscriptions that stand elsewhere
 */
public record Passed(
        long generation, int partitions, int partition, ProgressMarker marker, long revision, List<String> except) {
    public Passed {
        except = List.copyOf(except);
    }
}
