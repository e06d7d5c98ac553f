package dev.sluice.outbox.log;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.model.FencingToken;
import dev.sluice.model.Fnv1a64;
import dev.sluice.outbox.table.OutboxTable;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The relays of this table. Each row has one reader: what a relay publishes the log never sees, and the other way round. So there
 * must be none while the log is fed, and one that came and went is a gap.
 */
final class Relays {
    /** The reader of the log has a row of its own among those of the relays' partitions, which count from 0. */
    static final int READER = -1;

    private static final String GROUPS = "outbox/";

    private final OutboxTable table;
    private final CoordinationStore store;

    Relays(OutboxTable table, CoordinationStore store) {
        this.table = table;
        this.store = store;
    }

    /** The names of the outboxes whose relays live, for people; empty when there is none. */
    String live() {
        TreeSet<String> names = new TreeSet<>();
        store.leases(GROUPS).keySet().forEach(lease -> names.add(lease.split("/", -1)[1]));
        return String.join(", ", names);
    }

    /** Changes whenever a relay claims a partition. */
    String trace() {
        Map<Integer, FencingToken> others = new TreeMap<>(table.owners());
        others.remove(READER);
        return Long.toHexString(Fnv1a64.hash(others.toString()));
    }

    /**
     * The reader's token: its own epoch, in a generation that shuts out no relay and is shut out by none; a relay of a newer
     * generation takes the place.
     */
    FencingToken token(long epoch) {
        long generation = table.owners().values().stream()
                .mapToLong(FencingToken::generation)
                .max()
                .orElse(0);
        return new FencingToken(generation, epoch);
    }
}
