package dev.sluice.feed;

/**
 * One partition of one log.
 *
 * @param log the name of the log, as markers name it
 * @param partition from 0
 * @param partitions how many there are
 */
public record StreamId(String log, int partition, int partitions) {
    @Override
    public String toString() {
        return log + "/" + partition;
    }
}
