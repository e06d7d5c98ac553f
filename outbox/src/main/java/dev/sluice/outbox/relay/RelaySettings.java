package dev.sluice.outbox.relay;

import dev.sluice.coordinate.GroupSettings;
import dev.sluice.coordinate.assign.Assigner;
import dev.sluice.coordinate.assign.StabiliserSettings;
import dev.sluice.coordinate.assign.StickyAssigner;
import dev.sluice.model.InvalidInputException;
import dev.sluice.outbox.table.Keeping;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a relay works.
 *
 * @param nodeTimeout how long a relay that fell silent is waited for before others take its partitions
 * @param heartbeat how often a relay says that it lives, at least twice in that time; null: as the timeout demands
 * @param handoffTimeout how long what is under way may take when a partition is given up
 * @param weight this relay's share of the partitions, against the others' weights
 * @param longestPause between two looks at a table that stays empty, when nothing wakes the relay
 * @param keeping whether rows that were sent are deleted or kept
 * @param keepFor how long they are kept
 */
public record RelaySettings(
        Duration nodeTimeout,
        @Nullable Duration heartbeat,
        Duration handoffTimeout,
        Assigner assigner,
        int weight,
        StabiliserSettings stabiliser,
        BatchLimits batches,
        RetryLimits retries,
        Duration longestPause,
        Keeping keeping,
        Duration keepFor) {

    public static final RelaySettings DEFAULT = new RelaySettings(
            Duration.ofSeconds(30),
            null,
            GroupSettings.DEFAULT_HANDOFF_TIMEOUT,
            new StickyAssigner(),
            1,
            StabiliserSettings.DEFAULT,
            BatchLimits.DEFAULT,
            RetryLimits.DEFAULT,
            Duration.ofSeconds(10),
            Keeping.DELETE,
            Duration.ofDays(7));

    public RelaySettings {
        if (!longestPause.isPositive()) {
            throw new InvalidInputException("the longest pause of a relay is more than nothing, not " + longestPause);
        }
        if (!keepFor.isPositive()) {
            throw new InvalidInputException("rows are kept for more than nothing, not " + keepFor);
        }
    }

    /** How many rows are under way at once in one partition: the number follows how long a batch takes. */
    public record BatchLimits(int least, int most) {
        public static final BatchLimits DEFAULT = new BatchLimits(500, 2_000);

        public BatchLimits {
            if (least < 1 || most < least) {
                throw new InvalidInputException(
                        "a batch has 1 row or more, and its limits are in order, not " + least + " to " + most);
            }
        }
    }

    /** When a row that alone cannot be sent is tried again, and when it is given up. */
    public record RetryLimits(int attempts, Duration first, Duration longest) {
        public static final RetryLimits DEFAULT = new RetryLimits(10, Duration.ofSeconds(1), Duration.ofMinutes(1));

        public RetryLimits {
            if (attempts < 1 || !first.isPositive() || longest.compareTo(first) < 0) {
                throw new InvalidInputException("a row has 1 attempt or more, with pauses that grow, not " + attempts
                        + " attempts with pauses of " + first + " to " + longest);
            }
        }

        /** Until the next attempt after so many have failed. */
        Duration after(int failed) {
            Duration pause = first.multipliedBy(1L << Math.min(failed - 1, 20));
            return pause.compareTo(longest) < 0 ? pause : longest;
        }
    }

    public RelaySettings withNodeTimeout(Duration timeout) {
        return new RelaySettings(
                timeout,
                heartbeat,
                handoffTimeout,
                assigner,
                weight,
                stabiliser,
                batches,
                retries,
                longestPause,
                keeping,
                keepFor);
    }

    public RelaySettings withHeartbeat(@Nullable Duration every) {
        return new RelaySettings(
                nodeTimeout,
                every,
                handoffTimeout,
                assigner,
                weight,
                stabiliser,
                batches,
                retries,
                longestPause,
                keeping,
                keepFor);
    }

    public RelaySettings withHandoffTimeout(Duration timeout) {
        return new RelaySettings(
                nodeTimeout,
                heartbeat,
                timeout,
                assigner,
                weight,
                stabiliser,
                batches,
                retries,
                longestPause,
                keeping,
                keepFor);
    }

    public RelaySettings withAssigner(Assigner rule, int share) {
        return new RelaySettings(
                nodeTimeout,
                heartbeat,
                handoffTimeout,
                rule,
                share,
                stabiliser,
                batches,
                retries,
                longestPause,
                keeping,
                keepFor);
    }

    public RelaySettings withStabiliser(StabiliserSettings windows) {
        return new RelaySettings(
                nodeTimeout,
                heartbeat,
                handoffTimeout,
                assigner,
                weight,
                windows,
                batches,
                retries,
                longestPause,
                keeping,
                keepFor);
    }

    public RelaySettings withBatches(BatchLimits limits) {
        return new RelaySettings(
                nodeTimeout,
                heartbeat,
                handoffTimeout,
                assigner,
                weight,
                stabiliser,
                limits,
                retries,
                longestPause,
                keeping,
                keepFor);
    }

    public RelaySettings withRetries(RetryLimits limits) {
        return new RelaySettings(
                nodeTimeout,
                heartbeat,
                handoffTimeout,
                assigner,
                weight,
                stabiliser,
                batches,
                limits,
                longestPause,
                keeping,
                keepFor);
    }

    public RelaySettings withLongestPause(Duration pause) {
        return new RelaySettings(
                nodeTimeout,
                heartbeat,
                handoffTimeout,
                assigner,
                weight,
                stabiliser,
                batches,
                retries,
                pause,
                keeping,
                keepFor);
    }

    public RelaySettings keepingFor(Duration time) {
        return new RelaySettings(
                nodeTimeout,
                heartbeat,
                handoffTimeout,
                assigner,
                weight,
                stabiliser,
                batches,
                retries,
                longestPause,
                Keeping.KEEP,
                time);
    }
}
