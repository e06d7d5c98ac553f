package dev.sluice.outbox.kafka;

import dev.sluice.outbox.relay.Sink;
import dev.sluice.outbox.relay.SinkUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which rows are out and may still be in the table, by the numbers of batches that topic and table both keep. The table is at
 * most one batch behind: its rows are removed. If it is further behind it is an older copy, in which the ids of the topic may
 * stand for rows that were never sent.
 */
final class Recall {
    private final Sink.Opening opening;
    private final String topic;
    private final List<Long> own = new ArrayList<>();
    private final List<Long> all = new ArrayList<>();
    private long batch;

    private Recall(Sink.Opening opening, String topic) {
        this.opening = opening;
        this.topic = topic;
        this.batch = opening.batch(opening.partition());
    }

    /**
     * @param last of this partition and generation
     * @param before those of older generations
     */
    static Recall of(Sink.Opening opening, String topic, Optional<Progress> last, List<ProgressTopic.Of> before)
            throws SinkUnavailableException {
        Recall recall = new Recall(opening, topic);
        if (last.isPresent()) {
            recall.requireNoneLost(last.get());
            recall.own.addAll(recall.stillThere(opening.partition(), last.get()));
        }
        recall.all.addAll(recall.own);
        for (ProgressTopic.Of each : before) {
            recall.all.addAll(recall.stillThere(each.partition(), each.progress()));
        }
        return recall;
    }

    /** Of a record of before batches had numbers nobody knows: its rows are removed once more. */
    private List<Long> stillThere(int partition, Progress progress) throws SinkUnavailableException {
        if (progress.batch().isEmpty()) {
            return progress.ids();
        }
        long sent = progress.batch().getAsLong();
        long gone = opening.batch(partition);
        if (sent > gone + 1) {
            throw stop("Topic " + topic + " knows of batch " + sent + " of partition " + partition
                    + ", and the table outbox_partitions of " + gone
                    + ": the database was restored from a backup, or is a copy that was behind, or its tables were made anew."
                    + " Nothing is sent and nothing deleted. Delete the topic while no relay runs, then change the number of"
                    + " partitions, which begins anew; rows sent since that copy come twice.");
        }
        if (partition == opening.partition()) {
            batch = Math.max(batch, sent);
        }
        return sent > gone ? progress.ids() : List.of();
    }

    private void requireNoneLost(Progress last) throws SinkUnavailableException {
        long gone = opening.batch(opening.partition());
        if (last.batch().orElse(gone) < gone) {
            throw stop("Topic " + topic + " ends with batch " + last.batch().getAsLong() + " of partition "
                    + opening.partition() + ", and the rows of batch " + gone
                    + " are gone from the table: the brokers have lost what was written last, perhaps messages too."
                    + " Nothing is sent. Change the number of partitions, which begins anew.");
        }
    }

    private static SinkUnavailableException stop(String sentence) {
        return new SinkUnavailableException(sentence, false, null);
    }

    /** Those of this generation's own record. */
    List<Long> own() {
        return own;
    }

    List<Long> all() {
        return all;
    }

    /** The number of the last batch, of topic or table. */
    long batch() {
        return batch;
    }
}
