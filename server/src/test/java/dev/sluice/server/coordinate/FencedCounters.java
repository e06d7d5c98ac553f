package dev.sluice.server.coordinate;

import dev.sluice.model.FencingToken;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The witness of the chaos test: one counter per partition, guarded by the token, as any resource behind a claim is. It
 * knows nothing of stores, leases or members' opinions, so it can contradict them. A write under a lower token than one
 * seen is refused; what can happen only if coordination is broken is a violation:
 *
 * <ul>
 *   <li>two ownerships under one token, be it in one process or in two;
 *   <li>an owner that starts behind where the counter is (something is left out), or before where an owner before it
 *       started (positions went backwards);
 *   <li>after an orderly release, an owner that starts anywhere else than where its donor ended;
 *   <li>a write that does not follow the one before it under the same token.
 * </ul>
 */
final class FencedCounters {
    /**
     * Who takes over within this time after a release was announced can owe it only to that release: the lease of a
     * donor that still acted has more than that left.
     */
    private final long releaseNanos;

    private final Map<Integer, Counter> counters = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private long accepted;
    private long repeated;
    private long refused;

    /** From one ownership to the next: last write before, first write after. */
    record Change(int partition, Ownership from, Ownership to, long lastWrite, long firstWrite) {
        /** Whether the one before gave the partition up in order. */
        boolean planned() {
            return from.gaveAt != 0;
        }

        /** Whether nobody claimed it in between and died, or was stopped, before its first write. */
        boolean direct() {
            return to.token.equals(from.token.nextEpoch());
        }

        @Override
        public String toString() {
            return "partition %d from %s to %s: given after %d ms, taken after %d ms, written after %d ms"
                    .formatted(partition, from, to, millis(from.gaveAt), millis(to.tookAt), millis(firstWrite));
        }

        private long millis(long at) {
            return (at - lastWrite) / 1_000_000;
        }
    }

    /** One claim of one process, from being told "assigned" on. */
    static final class Ownership {
        final String process;
        final int session;
        final FencingToken token;
        private final long start;
        private final long tookAt;
        private long next;
        private long lastWrite;
        private long gaveAt;

        Ownership(long now, String process, int session, FencingToken token, long start) {
            this.tookAt = now;
            this.process = process;
            this.session = session;
            this.token = token;
            this.start = start;
            this.next = start + 1;
        }

        boolean is(String otherProcess, int otherSession) {
            return process.equals(otherProcess) && session == otherSession;
        }

        @Override
        public String toString() {
            return process + '#' + session + " under " + token;
        }
    }

    private static final class Counter {
        private long value;
        private @Nullable Ownership owner;
        private @Nullable Ownership before;
        private final Set<String> writers = new HashSet<>();
    }

    FencedCounters(long releaseNanos) {
        this.releaseNanos = releaseNanos;
    }

    /** An owner presents its token before its first write; false when a higher one is known. */
    synchronized boolean take(long now, int partition, FencingToken token, String process, int session, long position) {
        Counter counter = counter(partition);
        Ownership before = counter.owner;
        Ownership taker = new Ownership(now, process, session, token, position);
        if (before != null && token.compareTo(before.token) < 0) {
            refused++;
            return false;
        }
        if (before != null && token.equals(before.token)) {
            violation(partition, "two ownerships under one token: " + before + " and " + taker);
            return false;
        }
        if (position > counter.value) {
            violation(partition, taker + " starts at " + position + ", the counter is only at " + counter.value);
        }
        if (before != null && position < before.start) {
            violation(partition, taker + " starts at " + position + ", before it " + before + " at " + before.start);
        }
        if (before != null && before.gaveAt != 0 && now - before.gaveAt < releaseNanos && position != before.next - 1) {
            violation(partition, taker + " starts at " + position + ", its donor ended at " + (before.next - 1));
        }
        counter.before = before;
        counter.owner = taker;
        return true;
    }

    /** False when refused. */
    synchronized boolean write(long now, int partition, FencingToken token, String process, int session, long value) {
        Counter counter = counter(partition);
        Ownership owner = counter.owner;
        counter.writers.add(process);
        if (owner == null || token.compareTo(owner.token) > 0) {
            violation(partition, process + " writes under " + token + " without having presented it");
            return false;
        }
        if (token.compareTo(owner.token) < 0) {
            refused++;
            return false;
        }
        if (!owner.is(process, session)) {
            violation(partition, process + '#' + session + " writes under the token of " + owner);
            return false;
        }
        if (value != owner.next) {
            violation(partition, owner + " writes " + value + " instead of " + owner.next);
        }
        if (owner.lastWrite == 0 && counter.before != null && counter.before.lastWrite != 0) {
            changes.add(new Change(partition, counter.before, owner, counter.before.lastWrite, now));
        }
        accepted++;
        repeated += value <= counter.value ? 1 : 0;
        counter.value = Math.max(counter.value, value);
        owner.next = value + 1;
        owner.lastWrite = now;
        return true;
    }

    /** An owner has written its last and is about to release. */
    synchronized void give(long now, int partition, FencingToken token, String process, int session) {
        Ownership owner = counter(partition).owner;
        if (owner != null && owner.token.equals(token) && owner.is(process, session)) {
            owner.gaveAt = now;
        }
    }

    /** The store must have granted every token that was accepted; to be read before the store is asked. */
    synchronized Map<Integer, FencingToken> tokens() {
        Map<Integer, FencingToken> tokens = new TreeMap<>();
        counters.forEach((partition, counter) -> {
            if (counter.owner != null) {
                tokens.put(partition, counter.owner.token);
            }
        });
        return tokens;
    }

    /** Which processes tried to write to which partition since the last call, accepted or not. */
    synchronized Map<Integer, Set<String>> writersSinceLastCall() {
        Map<Integer, Set<String>> writers = new TreeMap<>();
        counters.forEach((partition, counter) -> {
            writers.put(partition, Set.copyOf(counter.writers));
            counter.writers.clear();
        });
        return writers;
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    synchronized void violation(int partition, String what) {
        violations.add("partition " + partition + ": " + what);
    }

    synchronized List<Change> changes() {
        return List.copyOf(changes);
    }

    synchronized String sums() {
        return "%,d writes accepted (%,d of them repeats after a crash), %,d stale ones refused"
                .formatted(accepted, repeated, refused);
    }

    synchronized long accepted() {
        return accepted;
    }

    private Counter counter(int partition) {
        return counters.computeIfAbsent(partition, p -> new Counter());
    }
}
