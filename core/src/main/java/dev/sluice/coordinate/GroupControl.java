package dev.sluice.coordinate;

import dev.sluice.model.InvalidInputException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A group as somebody sees and changes it who is no member, such as a command. All calls may throw a {@link
 * StoreUnavailableException}.
 */
public final class GroupControl {
    private static final int ATTEMPTS_TO_GROW = 10;

    private final CoordinationStore store;
    private final GroupKeys keys;

    public GroupControl(CoordinationStore store, String group) {
        this.store = store;
        this.keys = new GroupKeys(group);
    }

    /**
     * What the store says now.
     *
     * @param changing whether the number of partitions is on its way to {@code partitions}: nobody owns anything meanwhile
     * @param members the ids of those that live
     * @param owners by partition; those without one are not there
     */
    public record View(
            long generation, int partitions, boolean changing, List<String> members, Map<Integer, String> owners) {
        public View {
            members = List.copyOf(members);
            owners = new TreeMap<>(owners);
        }
    }

    /** The ids of those that live, also in a group that has no partitions yet. */
    public List<String> members() {
        return store.leases(keys.members()).keySet().stream()
                .map(keys::memberId)
                .sorted()
                .toList();
    }

    /** Empty when no member ever led: the group has no partitions yet. */
    public Optional<View> look() {
        return store.get(keys.layout()).map(Layout::of).map(layout -> {
            Map<String, String> live = new TreeMap<>();
            store.leases(keys.members()).forEach((name, holder) -> live.put(keys.memberId(name), holder));
            Map<Integer, String> owners = new TreeMap<>();
            for (Entry entry : store.list(keys.claims(layout.generation()))) {
                ClaimRecord claim = ClaimRecord.of(entry);
                if (claim.incarnation().equals(live.get(claim.owner()))) {
                    owners.put(keys.partition(entry.key()), claim.owner());
                }
            }
            return new View(
                    layout.generation(),
                    layout.partitions(),
                    layout.isDraining(),
                    live.keySet().stream().toList(),
                    owners);
        });
    }

    /**
     * All stored claims, and before them the members that hold leases: to find out what dead members left behind and nobody
     * needs any more.
     */
    public StoredClaims claims() {
        return StoredClaims.read(store, keys);
    }

    /**
     * Decides how many partitions the group has; its leader carries it out, see {@link Group#changePartitions}. A change
     * that is still under way is given another end, a group without partitions begins with so many.
     *
     * <p>For partitions whose content depends on their number, such as those of a hash. Where each partition is a thing of its
     * own, {@link #grow} adds some without stopping the others.
     *
     * @throws InvalidInputException when somebody else decided at the same moment
     */
    public void changePartitions(int partitions) {
        Optional<Entry> entry = store.get(keys.layout());
        Layout wanted = entry.map(Layout::of)
                .map(layout -> layout.changedTo(partitions))
                .orElseGet(() -> Layout.first(partitions));
        if (entry.isPresent() && Layout.of(entry.get()).equals(wanted)) {
            return;
        }
        long expected = entry.map(Entry::revision).orElse(CoordinationStore.ABSENT);
        if (store.put(keys.layout(), wanted.toBytes(), expected).isEmpty()) {
            throw new InvalidInputException("somebody else has just changed the number of partitions: look again");
        }
    }

    /**
     * Gives the group at least so many partitions; fewer or as many change nothing. The partitions there are stay with their
     * owners, under their tokens. The leader assigns the new ones, which start without a position, also in a group whose
     * partitions began at one: nobody has ever worked on them. A group without partitions begins with so many.
     *
     * @return how many partitions the group has now
     * @throws InvalidInputException when the number is being changed by {@link #changePartitions}: grow when that is done
     */
    public int grow(int partitions) {
        Layout.first(partitions);
        for (int attempt = 0; attempt < ATTEMPTS_TO_GROW; attempt++) {
            Optional<Entry> entry = store.get(keys.layout());
            Optional<Layout> now = entry.map(Layout::of);
            Layout grown = now.map(layout -> layout.grownTo(partitions)).orElseGet(() -> Layout.first(partitions));
            if (now.isPresent() && now.get().equals(grown)) {
                return grown.partitions();
            }
            if (grown.isDraining()) {
                throw new InvalidInputException("the number of partitions of group " + keys.group()
                        + " is being changed to " + now.get().partitions() + ": grow it when that is done");
            }
            long expected = entry.map(Entry::revision).orElse(CoordinationStore.ABSENT);
            if (store.put(keys.layout(), grown.toBytes(), expected).isPresent()) {
                return grown.partitions();
            }
        }
        throw new StoreUnavailableException("The number of partitions of group " + keys.group()
                + " is changed all the time, or the store refuses to change it: try again later.");
    }
}
