package dev.sluice.worker.partition;

import dev.sluice.worker.stream.StreamState;
import dev.sluice.worker.stream.StreamState.Transform;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The subject transform that hashed partitions need: {@code <prefix>.<n>.{{partition(n,…)}}.…}. The stream belongs to its
 * user, so it is only looked at; the missing setting is printed for the user to make.
 */
public final class HashedTransform {
    private static final Pattern PARTITION = Pattern.compile(
            "\\{\\{\\s*partition\\s*\\(\\s*(\\d+)\\s*(?:,\\s*\\d+\\s*)*\\)\\s*}}", Pattern.CASE_INSENSITIVE);

    private HashedTransform() {}

    /** Whether the stream writes these slots into its subjects. */
    public static boolean isSet(StreamState state, HashedSubjects hashed) {
        return state.transforms().stream().anyMatch(transform -> writes(transform.destination(), hashed));
    }

    private static boolean writes(String destination, HashedSubjects hashed) {
        String base = hashed.prefix() + '.' + hashed.n() + '.';
        if (!destination.startsWith(base)) {
            return false;
        }
        Matcher function = PARTITION.matcher(destination).region(base.length(), destination.length());
        return function.lookingAt()
                && function.group(1).equals(Integer.toString(hashed.n()))
                && destination.startsWith(".", function.end())
                && destination.length() > function.end() + 1;
    }

    /** What to set on the stream; empty when it is set already. */
    public static Optional<String> missing(StreamState state, HashedSubjects hashed) {
        if (isSet(state, hashed)) {
            return Optional.empty();
        }
        Transform wanted = wanted(state.transforms(), hashed);
        String now = state.transforms().isEmpty()
                ? "has no subject transform"
                : "has another subject transform ("
                        + state.transforms().getFirst().destination() + ")";
        return Optional.of("stream " + state.name() + " " + now + ", so messages get no subject below "
                + hashed.prefix() + "." + hashed.n() + ", and these partitions stay empty. Set it (and adapt source and"
                + " token numbers to your subjects): nats stream edit " + state.name()
                + " --transform-source '" + wanted.source() + "' --transform-destination '" + wanted.destination()
                + "', or in JSON: \"subject_transform\": {\"src\": \"" + wanted.source() + "\", \"dest\": \""
                + wanted.destination() + "\"}");
    }

    /** The present transform with another number of slots, or one for subjects of two tokens. */
    private static Transform wanted(List<Transform> present, HashedSubjects hashed) {
        Pattern other = Pattern.compile(
                Pattern.quote(hashed.prefix()) + "\\.\\d+\\.\\{\\{\\s*partition\\s*\\(\\s*\\d+",
                Pattern.CASE_INSENSITIVE);
        for (Transform transform : present) {
            Matcher found = other.matcher(transform.destination());
            if (found.lookingAt()) {
                String start = hashed.prefix() + '.' + hashed.n() + ".{{partition(" + hashed.n();
                return new Transform(
                        transform.source(), start + transform.destination().substring(found.end()));
            }
        }
        return new Transform(
                hashed.prefix() + ".*",
                hashed.prefix() + '.' + hashed.n() + ".{{partition(" + hashed.n() + ",1)}}.{{wildcard(1)}}");
    }
}
