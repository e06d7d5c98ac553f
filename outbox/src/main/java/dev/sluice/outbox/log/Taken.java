package dev.sluice.outbox.log;

import dev.sluice.model.ClusterTime;
import java.util.Optional;

/**
 * Who took rows out of the table last, and how far: kept in the database, as the position of the claim, and written before the
 * rows of a batch are deleted. A log that does not agree with it misses rows that are gone.
 *
 * @param log the log they went to
 * @param batch the last one whose rows may be deleted
 * @param time no event of that log is later
 * @param relays what is known of relays of this table: changes whenever one of them claims a partition
 */
record Taken(String log, long batch, ClusterTime time, String relays) {
    private static final int PARTS = 4;

    String text() {
        return log + ' ' + batch + ' ' + time.value() + ' ' + relays;
    }

    static Optional<Taken> parse(String position) {
        String[] parts = position.split(" ", -1);
        try {
            return parts.length == PARTS
                    ? Optional.of(new Taken(
                            parts[0], Long.parseLong(parts[1]), new ClusterTime(Long.parseLong(parts[2])), parts[3]))
                    : Optional.empty();
        } catch (NumberFormatException other) {
            return Optional.empty();
        }
    }

    /** Why a log that ends at this place lacks rows that are gone from the table; empty when it does not. */
    static Optional<String> missing(LogPlace place, Optional<Taken> known, String relaysNow) {
        if (known.isEmpty()) {
            return Optional.of(
                    "the outbox's database does not know this event log: its coordination tables were emptied, or it is"
                            + " another database");
        }
        Taken taken = known.get();
        if (!taken.log.equals(place.log())) {
            return Optional.of(
                    "another Puller has read this outbox since, into an event log of its own: what it took is gone"
                            + " from the table");
        }
        if (place.batch() < taken.batch) {
            return Optional.of("this event log is an older copy: it ends with batch " + place.batch()
                    + ", and the rows of all up to " + taken.batch + " are gone from the table");
        }
        if (place.batch() > taken.batch + 1) {
            return Optional.of("the outbox's database is an older copy: it knows of batch " + taken.batch
                    + ", and this event log has " + place.batch() + "; rows may be gone, or come again");
        }
        return taken.relays.equals(relaysNow)
                ? Optional.empty()
                : Optional.of("a relay has published rows of this outbox since, and they are gone from the table");
    }
}
