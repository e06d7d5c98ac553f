package dev.sluice.coordinate;

import dev.sluice.coordinate.Hints.Look;
import dev.sluice.coordinate.Waves.Wave;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The partitions this member has to do with: it follows the assignment, one {@link PartitionSlot} each. */
final class Claims {
    private final GroupSettings settings;
    private final PartitionUser user;
    private final ClaimContext context;
    private final Consumer<Look> hints;
    private final Map<Integer, PartitionSlot> slots = new TreeMap<>();
    private volatile LiveMembers members = new LiveMembers(0, Map.of());
    private volatile boolean membersAsked;
    private CoordinationStore.@Nullable Watch watch;
    private long watched;

    /** @param hints to have {@link #follow} called again soon, if need be with a fresh list of members */
    Claims(GroupSettings settings, PartitionUser user, ClaimContext context, Consumer<Look> hints) {
        this.settings = settings;
        this.user = user;
        this.context = context;
        this.hints = hints;
    }

    /**
     * Takes what is wanted and not ours, gives up what is ours and not wanted, in the turns of the wave. Called by one thread.
     */
    void follow(Incarnation member, Layout layout, Set<Integer> wanted, LiveMembers live, Wave wave) {
        LiveMembers before = members;
        members = live;
        giveUp(layout, wanted, wave);
        List<Integer> missing = missing(wanted);
        // Before the slots look for the first time, so that nothing falls in between.
        watchWhileWaiting(layout, !missing.isEmpty());
        for (int k = 0; k < missing.size(); k++) {
            int partition = missing.get(k);
            boolean waits = wave.handedOver().contains(partition);
            begin(partition, layout, member, waits ? wave.turn(k, missing.size()) : Duration.ZERO);
        }
        if (hasEnded(before, live) || membersAsked && live.askedAt() != before.askedAt()) {
            membersAsked = false;
            wakeWaiting();
        }
    }

    private List<Integer> missing(Set<Integer> wanted) {
        Set<Integer> missing = new TreeSet<>(wanted);
        slots().forEach(slot -> missing.remove(slot.partition()));
        return List.copyOf(missing);
    }

    private void giveUp(Layout layout, Set<Integer> wanted, Wave wave) {
        List<PartitionSlot> going = new ArrayList<>();
        for (PartitionSlot slot : slots()) {
            boolean stays = slot.generation() == layout.generation() && wanted.contains(slot.partition());
            if (stays) {
                slot.stay();
            } else if (wave.spread().isZero() || !slot.hasTurn()) {
                going.add(slot);
            }
        }
        for (int k = 0; k < going.size(); k++) {
            going.get(k).revoke(wave.turn(k, going.size()));
        }
    }

    private static boolean hasEnded(LiveMembers before, LiveMembers now) {
        return before.incarnations().entrySet().stream()
                .anyMatch(member -> !now.isLive(member.getKey(), member.getValue()));
    }

    private void begin(int partition, Layout layout, Incarnation member, Duration untilFirstLook) {
        PartitionSlot slot = new PartitionSlot(partition, layout, member, this, context, untilFirstLook);
        synchronized (slots) {
            if (slots.putIfAbsent(partition, slot) != null) {
                return;
            }
        }
        context.clockwork().start("partition-" + partition, slot::run);
    }

    /** Every saved position of anybody changes something there, so it is watched only while somebody waits. */
    private void watchWhileWaiting(Layout layout, boolean more) {
        boolean waiting = more || slots().stream().anyMatch(slot -> slot.state() == PartitionSlot.State.WAITING);
        if (!waiting || watched != layout.generation()) {
            closeWatch();
        }
        if (waiting && watch == null) {
            watched = layout.generation();
            try {
                watch = context.store().watch(context.keys().claims(layout.generation()), this::wake);
            } catch (StoreUnavailableException e) {
                // Only hints are missing: the slots look by themselves, and the next round asks again.
                context.journal().storeAway(e);
            }
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
        slots().forEach(slot -> slot.revoke(Duration.ZERO));
    }

    void ended(PartitionSlot slot) {
        synchronized (slots) {
            slots.remove(slot.partition(), slot);
        }
        hints.accept(Look.KNOWN);
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
        membersAsked = true;
        hints.accept(Look.ALL);
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
