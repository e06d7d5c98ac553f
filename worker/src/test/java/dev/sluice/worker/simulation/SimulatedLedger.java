package dev.sluice.worker.simulation;

import dev.sluice.model.FencingToken;
import dev.sluice.worker.deadletter.PutOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What handlers write to, outside of all workers: refuses a token below one it has seen, and knows of every partition which
 * messages are published, handled and kept as dead letters.
 */
final class SimulatedLedger {
    /** The messages of one partition. */
    private static final class Page {
        private final TreeSet<Long> open = new TreeSet<>();
        private final TreeMap<Long, FencingToken> settled = new TreeMap<>();
        private FencingToken highest = new FencingToken(0, 0);
        private final Map<Long, Long> starts = new HashMap<>();
        private final Map<Long, Set<Long>> finished = new HashMap<>();
        private final Map<Long, Set<Long>> begun = new HashMap<>();
        private @Nullable String writer;
        private long lastFirst;
    }

    private final Map<String, Page> pages = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();
    private long published;
    private long reordered;
    private long handled;
    private long repeated;
    private long stale;
    private long deadLettered;

    void published(String partition, long sequence) {
        page(partition).open.add(sequence);
        published++;
    }

    /** Whether anything was published there. */
    boolean knows(String partition) {
        Page page = pages.get(partition);
        return page != null && !(page.open.isEmpty() && page.settled.isEmpty());
    }

    private Page page(String partition) {
        return pages.computeIfAbsent(partition, any -> new Page());
    }

    /** Returns whether it is written; false: the token is stale. */
    boolean handle(String partition, FencingToken token, String writer, long sequence) {
        Page page = page(partition);
        if (token.isOlderThan(page.highest)) {
            stale++;
            return false;
        }
        if (token.equals(page.highest) && !Objects.equals(page.writer, writer)) {
            faults.add(
                    "two handlers of " + partition + " with one token " + token + ": " + page.writer + ", " + writer);
        }
        page.highest = token;
        page.writer = writer;
        settle(partition, page, token, sequence);
        return true;
    }

    /** Also settles the message. A dead letter has no token: one of a zombie may come early, and is a repeat then. */
    PutOutcome deadLetter(String partition, long sequence) {
        Page page = page(partition);
        deadLettered++;
        page.open.remove(sequence);
        return page.settled.put(sequence, page.highest) == null ? PutOutcome.STORED : PutOutcome.ALREADY_THERE;
    }

    /** The place where the owner with this token starts. */
    void starts(String partition, FencingToken token, long low, List<Long> finished) {
        Page page = page(partition);
        page.starts.put(token.epoch(), low);
        page.finished.put(token.epoch(), Set.copyOf(finished));
    }

    /** A handler is called: never for what was finished when its owner started, and once by each owner for a first time. */
    void begins(String partition, FencingToken token, long sequence, int attempt) {
        Page page = page(partition);
        long epoch = token.epoch();
        if (sequence <= page.starts.getOrDefault(epoch, 0L)
                || page.finished.getOrDefault(epoch, Set.of()).contains(sequence)) {
            faults.add("message " + sequence + " of " + partition + " is handled again under " + token
                    + ", which started behind it");
        }
        if (!page.begun.computeIfAbsent(epoch, any -> new HashSet<>()).add(sequence) && attempt == 1) {
            faults.add("message " + sequence + " of " + partition + " is taken twice under " + token);
        }
    }

    private void settle(String partition, Page page, FencingToken token, long sequence) {
        if (page.settled.containsKey(sequence)) {
            repeated++;
            page.settled.put(sequence, token);
            return;
        }
        if (!page.open.contains(sequence)) {
            faults.add("message " + sequence + " of " + partition + " is handled and was never published there");
        } else if (page.open.first() != sequence) {
            faults.add("message " + sequence + " of " + partition + " is handled before " + page.open.first());
        }
        if (sequence < page.lastFirst) {
            reordered++;
        }
        page.lastFirst = Math.max(page.lastFirst, sequence);
        page.open.remove(sequence);
        page.settled.put(sequence, token);
        handled++;
    }

    /** Whether everything of the partition that was published up to this sequence is handled or a dead letter. */
    boolean isSettledThrough(String partition, long sequence) {
        Page page = page(partition);
        return page.open.isEmpty() || page.open.first() > sequence;
    }

    boolean isSettled(String partition, long sequence) {
        return page(partition).settled.containsKey(sequence);
    }

    /** Messages that are neither handled nor dead letters. */
    Map<String, List<Long>> open() {
        Map<String, List<Long>> open = new TreeMap<>();
        pages.forEach((partition, page) -> {
            if (!page.open.isEmpty()) {
                open.put(partition, List.copyOf(page.open));
            }
        });
        return open;
    }

    List<String> faults() {
        return faults;
    }

    long published() {
        return published;
    }

    long handled() {
        return handled;
    }

    long repeated() {
        return repeated;
    }

    long reordered() {
        return reordered;
    }

    long stale() {
        return stale;
    }

    long deadLettered() {
        return deadLettered;
    }
}
