package dev.sluice.stream;

import dev.sluice.model.ProgressMarker;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What one consumer asks for. Everything in it is valid: the parts refuse what makes no sense with a sentence for the
 * consumer.
 *
 * @param label the consumer's own name for itself, for logs and lists; it identifies nothing
 * @param after where to go on; null means from now on
 * @param coalesce while far behind, one event per touched document is enough
 * @param heartbeats wants to be told how far the source is although nothing happens
 * @param start of a stream of one log; null: of all backends, merged
 */
public record StreamRequest(
        String label,
        @Nullable ProgressMarker after,
        EventFilter filter,
        boolean coalesce,
        boolean heartbeats,
        DocumentEncoding encoding,
        @Nullable LogStart start) {

    private static final int LONGEST_LABEL = 256;

    /** What could break a line of the log, hide or reorder it: controls, line separators, marks of direction, halves. */
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

    public StreamRequest {
        label = label.length() <= LONGEST_LABEL ? label : label.substring(0, LONGEST_LABEL);
        label = UNPRINTABLE.matcher(label).replaceAll("?");
    }

    /** Of all backends. */
    public StreamRequest(
            String label,
            @Nullable ProgressMarker after,
            EventFilter filter,
            boolean coalesce,
            boolean heartbeats,
            DocumentEncoding encoding) {
        this(label, after, filter, coalesce, heartbeats, encoding, null);
    }

    /** Everything from here on, as BSON. */
    public static StreamRequest after(@Nullable ProgressMarker after) {
        return new StreamRequest("", after, EventFilter.ALL, false, false, DocumentEncoding.BSON);
    }
}
