package dev.sluice.worker.cursor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.model.FencingToken;
import dev.sluice.model.InvalidInputException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The cursors of all partitions that one life of a worker owns: one stored value. An entry counts only for the claim whose
 * token it has.
 */
public record CursorTable(Map<Integer, Entry> entries) {
    /** Finished sequences of all partitions together, at most: they take about 200 KB of a stored value. */
    static final int MAX_FINISHED_SEQUENCES = 50_000;

    public record Entry(FencingToken token, Cursor cursor) {}

    public CursorTable {
        entries = new TreeMap<>(entries);
    }

    /**
     * The same, small enough to be stored: when the partitions together have too many finished sequences above unfinished
     * ones, each keeps an equal share of them. After a crash the others are handled again.
     */
    public CursorTable bounded() {
        int all = 0;
        int listing = 0;
        for (Entry entry : entries.values()) {
            int finished = entry.cursor().finished().size();
            all += finished;
            listing += finished > 0 ? 1 : 0;
        }
        if (all <= MAX_FINISHED_SEQUENCES) {
            return this;
        }
        int share = MAX_FINISHED_SEQUENCES / listing;
        Map<Integer, Entry> bounded = new TreeMap<>();
        entries.forEach((partition, entry) ->
                bounded.put(partition, new Entry(entry.token(), entry.cursor().limitedTo(share))));
        return new CursorTable(bounded);
    }

    /** The cursor of this very claim; null when it was never written. */
    public @Nullable Cursor of(int partition, FencingToken token) {
        Entry entry = entries.get(partition);
        return entry != null && entry.token().equals(token) ? entry.cursor() : null;
    }

    /** One line per partition: index, generation, epoch, cursor. */
    public byte[] toBytes() {
        StringBuilder lines = new StringBuilder(entries.size() * 40);
        entries.forEach((partition, entry) -> lines.append(partition)
                .append(' ')
                .append(entry.token().generation())
                .append(' ')
                .append(entry.token().epoch())
                .append(' ')
                .append(entry.cursor().toText())
                .append('\n'));
        return lines.toString().getBytes(UTF_8);
    }

    public static CursorTable parse(byte[] bytes) {
        Map<Integer, Entry> entries = new TreeMap<>();
        for (String line : new String(bytes, UTF_8).split("\n")) {
            if (line.isEmpty()) {
                continue;
            }
            String[] words = line.split(" ");
            if (words.length != 4) {
                throw new InvalidInputException(
                        "stored cursors cannot be read: line " + InvalidInputException.quote(line));
            }
            FencingToken token = new FencingToken(Long.parseLong(words[1]), Long.parseLong(words[2]));
            entries.put(Integer.parseInt(words[0]), new Entry(token, Cursor.parse(words[3])));
        }
        return new CursorTable(entries);
    }
}
