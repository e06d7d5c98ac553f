package dev.sluice.worker.partition;

import dev.sluice.model.InvalidInputException;
import dev.sluice.worker.stream.StreamState.Transform;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The subject a message was published to, before the stream's transform changed it. A message that is published again must
 * go there: the transform then gives it the subject, and the hash slot, of today.
 */
public final class OriginalSubject {
    private static final Pattern WILDCARD =
            Pattern.compile("\\{\\{\\s*wildcard\\s*\\(\\s*(\\d+)\\s*\\)\\s*}}|\\$(\\d+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern PARTITION =
            Pattern.compile("\\{\\{\\s*partition\\s*\\(.*\\)\\s*}}", Pattern.CASE_INSENSITIVE);
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final String REST = ">";

    private OriginalSubject() {}

    /**
     * @param stored the subject in the stream
     * @return the subject to publish to; the stored one when no transform has made it
     * @throws InvalidInputException when a transform has made it and drops a part of the original
     */
    public static String of(List<Transform> transforms, String stored) {
        for (Transform transform : transforms) {
            Map<String, String> captured = captured(transform.destination(), stored);
            if (captured != null) {
                return filled(transform, captured, stored);
            }
        }
        return stored;
    }

    /** Values of the wildcards by their number; null when the destination cannot have made the subject. */
    private static @Nullable Map<String, String> captured(String destination, String stored) {
        String[] wanted = destination.split("\\.", -1);
        String[] tokens = stored.split("\\.", -1);
        Map<String, String> captured = new HashMap<>();
        for (int i = 0; i < wanted.length; i++) {
            if (i >= tokens.length) {
                return null;
            }
            Matcher wildcard = WILDCARD.matcher(wanted[i]);
            if (wanted[i].equals(REST)) {
                captured.put(REST, String.join(".", List.of(tokens).subList(i, tokens.length)));
                return captured;
            } else if (wildcard.matches()) {
                captured.put(wildcard.group(1) == null ? wildcard.group(2) : wildcard.group(1), tokens[i]);
            } else if (!mayMake(wanted, i, tokens[i])) {
                return null;
            }
        }
        return wanted.length == tokens.length ? captured : null;
    }

    /** The number of slots stands before the slot; a message from before a change of it has another one. */
    private static boolean mayMake(String[] wanted, int at, String token) {
        boolean slots = at + 1 < wanted.length
                && NUMBER.matcher(wanted[at]).matches()
                && PARTITION.matcher(wanted[at + 1]).matches();
        return PARTITION.matcher(wanted[at]).matches() || slots
                ? NUMBER.matcher(token).matches()
                : wanted[at].equals(token) || wanted[at].startsWith("{{");
    }

    private static String filled(Transform transform, Map<String, String> captured, String stored) {
        String[] source = transform.source().split("\\.", -1);
        int wildcards = 0;
        for (int i = 0; i < source.length; i++) {
            boolean one = source[i].equals("*");
            if (one || source[i].equals(REST)) {
                String value = captured.get(one ? Integer.toString(++wildcards) : REST);
                if (value == null) {
                    throw new InvalidInputException("the transform " + transform.source() + " → "
                            + transform.destination() + " drops a part of the subject, so the subject that "
                            + stored + " was published to is not known: publish the message by hand");
                }
                source[i] = value;
            }
        }
        return String.join(".", source);
    }
}
