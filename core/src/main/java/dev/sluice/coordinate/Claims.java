package dev.sluice.coordinate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The partitions this member has to do with: it follows the assignment, one {@link PartitionSlot} each. */
final class Claims {
    private final GroupSettings settings;
    private final PartitionUser user;
    private final ClaimContext context;
    private final Runnable askForMembers;
    private final Map<Integer, PartitionSlot> slots = new TreeMap<>();
    private volatile LiveMembers members = new LiveMembers(0, Map.of());
    private CoordinationStore.@Nullable Watch watch;
    private long watched;

    /** @param askForMembers to have {@link #follow} called again soon, with a fresh list of members */
    Claims(GroupSettings settings, PartitionUser user, ClaimContext context, Runnable askForMembers) {
        this.settings = settings;
        this.user = user;
        this.context = context;
        this.askForMembers = askForMembers;
    }

    /** Takes what is wanted and not ours, gives up what is ours and not wanted. Called by one thread. */
    void follow(Incarnation member, Layout layout, Set<Integer> wanted, LiveMembers live) {
        members = live;
        for (PartitionSlot slot : slots()) {
            boolean stays = slot.generation() == layout.generation() && wanted.contains(slot.partition());
            if (!stays) {
                slot.revoke();
            }
        }
        for (int partition : wanted) {
            begin(partition, layout, member);
        }
        watchWhileWaiting(layout);
        wakeWaiting();
    }

    private void begin(int partition, Layout layout, Incarnation member) {
        PartitionSlot slot = new PartitionSlot(partition, layout, member, this, context);
        synchronized (slots) {
            if (slots.putIfAbsent(partition, slot) != null) {
                return;
            }
        }
        context.clockwork().start("partition-" + partition, slot::run);
    }

    /** Every saved position of anybody changes something there, so it is watched only while somebody waits. */
    private void watchWhileWaiting(Layout layout) {
        boolean waiting = slots().stream().anyMatch(slot -> slot.state() == PartitionSlot.State.WAITING);
        if (!waiting || watched != layout.generation()) {
            closeWatch();
        }
        if (waiting && watch == null) {
            watched = layout.generation();
            watch = context.store().watch(context.keys().claims(layout.generation()), this::wake);
        }
    }

    private void closeWatch() {
        if (watch != null) {
            watch.close();
            watch = null;
        }
    }

    /** A claim changed, or any may have. Wakes the one slot that waits for it: each look is a request. */
    private void wake(String key) {
        OptionalInt partition = context.keys().claimedPartition(key);
        if (partition.isEmpty()) {
            wakeWaiting();
            return;
        }
        PartitionSlot slot;
        synchronized (slots) {
            slot = slots.get(partition.getAsInt());
        }
        if (slot != null && slot.state() == PartitionSlot.State.WAITING) {
            slot.wake();
        }
    }

    private void wakeWaiting() {
        for (PartitionSlot slot : slots()) {
            if (slot.state() == PartitionSlot.State.WAITING) {
                slot.wake();
            }
        }
    }

    /** The incarnation is over: everything it has is lost, now. */
    void drop(Incarnation member, String why) {
        for (PartitionSlot slot : slots()) {
            if (Objects.equals(slot.member(), member)) {
                slot.lose(why);
            }
        }
    }

    /** Everything shall go to others, in good order. */
    void revokeAll() {
        slots().forEach(PartitionSlot::revoke);
    }

    void ended(PartitionSlot slot) {
        synchronized (slots) {
            slots.remove(slot.partition(), slot);
        }
        askForMembers.run();
    }

    List<Claim> held() {
        List<Claim> held = new ArrayList<>();
        for (PartitionSlot slot : slots()) {
            Claim claim = slot.held();
            if (claim != null && claim.isHeld()) {
                held.add(claim);
            }
        }
        return held;
    }

    boolean isEmpty() {
        return slots().isEmpty();
    }

    private List<PartitionSlot> slots() {
        synchronized (slots) {
            return List.copyOf(slots.values());
        }
    }

    LiveMembers members() {
        return members;
    }

    void askForMembers() {
        askForMembers.run();
    }

    PartitionUser user() {
        return user;
    }

    Duration handoffTimeout() {
        return settings.handoffTimeout();
    }

    Duration retry() {
        return settings.retry();
    }

    /** After the last {@link #follow}. */
    void close() {
        closeWatch();
    }
}
