package dev.sluice.gateway;

import dev.sluice.model.BackendName;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Streams in which a subscription has got further than its marker: the cluster time of the last event it got, per partition and
 * log, for at most 16 of them. Everything earlier in that stream it has got. Streams of another generation are other streams.
 * For one thread at a time.
 */
final class Exceptions {
    /** Of more, the furthest ahead are dropped, which costs repeats, never events. */
    static final int MOST = 16;

    /** One partition of one log. */
    private record Stream(int partition, String log) implements Comparable<Stream> {
        @Override
        public int compareTo(Stream other) {
            int byPartition = Integer.compare(partition, other.partition);
            return byPartition != 0 ? byPartition : log.compareTo(other.log);
        }
    }

    private static final char SEPARATOR = '~';
    private static final char WITHIN = ':';
    private static final int HEX = 16;

    private final Map<Stream, ClusterTime> last;
    private long generation;

    Exceptions() {
        this(PassedPartitions.NONE, new HashMap<>());
    }

    private Exceptions(long generation, Map<Stream, ClusterTime> last) {
        this.generation = generation;
        this.last = last;
    }

    Exceptions copy() {
        return new Exceptions(generation, new HashMap<>(last));
    }

    boolean isEmpty() {
        return last.isEmpty();
    }

    /** Whether the subscription has got everything of this time in this stream: it got something later. */
    boolean cover(long inGeneration, int partition, String log, ClusterTime time) {
        ClusterTime got = inGeneration == generation ? last.get(new Stream(partition, log)) : null;
        return got != null && time.compareTo(got) < 0;
    }

    /** Adds an event that the subscription gets, behind all earlier ones of its stream. */
    void add(long inGeneration, int partition, String log, ClusterTime time) {
        if (inGeneration < generation) {
            return;
        }
        forgetBefore(inGeneration);
        generation = inGeneration;
        last.merge(new Stream(partition, log), time, (one, other) -> one.compareTo(other) < 0 ? other : one);
        if (last.size() > MOST) {
            last.entrySet().stream()
                    .max(Map.Entry.comparingByValue(Comparator.naturalOrder()))
                    .ifPresent(furthest -> last.remove(furthest.getKey()));
        }
    }

    /** Forgets streams of older generations. */
    void forgetBefore(long current) {
        if (generation < current) {
            last.clear();
        }
    }

    /** Forgets streams in which the marker is as far. */
    void forgetUpTo(ProgressMarker marker) {
        last.entrySet()
                .removeIf(entry -> marker.position(entry.getKey().log)
                        .map(at -> entry.getValue().compareTo(at.time()) <= 0)
                        .orElse(false));
    }

    void clear() {
        last.clear();
    }

    /** Appends {@code ~generation~partition:log:time…}; nothing when there are none. */
    String appendedTo(String marker) {
        if (last.isEmpty()) {
            return marker;
        }
        StringBuilder text = new StringBuilder(marker.length() + HEX + last.size() * 2 * HEX);
        text.append(marker).append(SEPARATOR).append(generation);
        new TreeMap<>(last)
                .forEach((stream, time) -> text.append(SEPARATOR)
                        .append(stream.partition)
                        .append(WITHIN)
                        .append(stream.log)
                        .append(WITHIN)
                        .append(Long.toUnsignedString(time.value(), HEX)));
        return text.toString();
    }

    /** Where the exceptions begin in a text that {@link #appendedTo} made; its length when there are none. */
    static int start(String text) {
        int at = text.indexOf(SEPARATOR);
        return at < 0 ? text.length() : at;
    }

    /**
     * Reads what stands behind the marker.
     *
     * @throws InvalidInputException for any text that {@link #appendedTo} did not make
     */
    static Exceptions parse(String text) {
        String[] parts = text.substring(start(text)).split(String.valueOf(SEPARATOR), -1);
        if (text.length() == start(text)) {
            return new Exceptions();
        }
        if (parts.length < 3 || parts.length > 2 + MOST) {
            throw bad();
        }
        try {
            Exceptions read = new Exceptions();
            long generation = Long.parseLong(parts[1]);
            for (int k = 2; k < parts.length; k++) {
                String[] stream = parts[k].split(String.valueOf(WITHIN), -1);
                if (stream.length != 3 || generation < 0) {
                    throw bad();
                }
                read.add(
                        generation,
                        Integer.parseInt(stream[0]),
                        BackendName.check(stream[1]),
                        new ClusterTime(Long.parseUnsignedLong(stream[2], HEX)));
            }
            return read;
        } catch (NumberFormatException notOne) {
            throw bad();
        }
    }

    private static InvalidInputException bad() {
        return new InvalidInputException("the resume id is damaged: pass one exactly as it was received");
    }
}
