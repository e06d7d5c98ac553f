package dev.sluice.gateway;

import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.ProgressMarker;
import java.util.Map;

/**
 * How far a subscription has got, as a marker and as its text. What a marker once covered stays covered, whatever markers
 * follow.
 */
record Reached(String text, ProgressMarker marker) {
    static final Reached NOTHING = new Reached("", ProgressMarker.NOWHERE);

    /** The marker read last: all events of a batch bring the same one. */
    private static volatile Reached latest = NOTHING;

    /** Reads a marker; one that cannot be read says nothing. */
    static Reached at(String text) {
        Reached before = latest;
        if (text.isEmpty() || before.text.equals(text)) {
            return text.isEmpty() ? NOTHING : before;
        }
        try {
            Reached read = new Reached(text, ProgressMarker.decode(text));
            latest = read;
            return read;
        } catch (InvalidInputException unreadable) {
            return NOTHING;
        }
    }

    boolean isNothing() {
        return text.isEmpty();
    }

    /** Of both the one that is ahead, backend by backend. */
    Reached or(Reached other) {
        if (text.equals(other.text)) {
            return this;
        }
        if (isCoveredBy(other)) {
            return other;
        }
        ProgressMarker furthest = furthest(marker, other.marker);
        if (furthest.equals(marker)) {
            return this;
        }
        return furthest.equals(other.marker) ? other : new Reached(furthest.encode(), furthest);
    }

    /** Whether the other one is as far or further in every backend: the usual case, for which no marker is built. */
    private boolean isCoveredBy(Reached other) {
        for (Map.Entry<String, EventId> position : marker.positions().entrySet()) {
            EventId theirs = other.marker.positions().get(position.getKey());
            if (theirs == null || theirs.time().compareTo(position.getValue().time()) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Of two events of one time the order is not known: the other one is taken, both are covered. */
    private static ProgressMarker furthest(ProgressMarker one, ProgressMarker other) {
        ProgressMarker furthest = one;
        for (Map.Entry<String, EventId> position : other.positions().entrySet()) {
            EventId known = furthest.positions().get(position.getKey());
            if (known == null || known.time().compareTo(position.getValue().time()) <= 0) {
                furthest = furthest.with(position.getKey(), position.getValue());
            }
        }
        return furthest;
    }
}
