package dev.sluice.worker.deadletter;

import dev.sluice.model.InvalidInputException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of a dead letter within its group: which message it is. The same message has the same id whoever puts it.
 *
 * @param streamCreated the creation time of the message's stream in milliseconds: another life of the stream counts anew
 * @param partition the index of the partition
 * @param sequence of the message in its stream
 */
public record LetterId(long streamCreated, int partition, long sequence) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})\\.(\\d{1,9})\\.(\\d{1,18})");

    /** Reads the form that {@link #toString} writes. */
    public static LetterId of(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new InvalidInputException("the id of a dead letter is <stream created>.<partition>.<sequence>, as the"
                    + " list shows it, not " + InvalidInputException.quote(text));
        }
        return new LetterId(
                Long.parseLong(parts.group(1)), Integer.parseInt(parts.group(2)), Long.parseLong(parts.group(3)));
    }

    static boolean isId(String text) {
        return TEXT.matcher(text).matches();
    }

    @Override
    public String toString() {
        return streamCreated + "." + partition + "." + sequence;
    }
}
