package dev.sluice.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One place per log. A log that is not named stands at its oldest event. Each place says which log identity counted its
 * ordinal; for another identity only the event id counts.
 *
 * @param byLog by the log's name
 */
public record Places(SortedMap<String, Place> byLog) {
    /** At the oldest event of every log. */
    public static final Places OLDEST = new Places(new TreeMap<>());

    /** @param identity of the log whose ordinal this is; 0: none, the position is to be resolved by its id */
    public record Place(long identity, Position position) {
        /** Reads what {@link #toString} writes. */
        static Place parse(String text) {
            int at = text.indexOf('@');
            if (at < 0) {
                throw new InvalidInputException(
                        "place " + InvalidInputException.quote(text) + " names no log identity");
            }
            try {
                return new Place(
                        Long.parseUnsignedLong(text.substring(at + 1), 16), Position.parse(text.substring(0, at)));
            } catch (NumberFormatException e) {
                throw new InvalidInputException(
                        "place " + InvalidInputException.quote(text) + " has a log identity that is not hexadecimal");
            }
        }

        @Override
        public String toString() {
            return position + "@" + Long.toUnsignedString(identity, 16);
        }
    }

    public Places {
        byLog.keySet().forEach(BackendName::check);
        byLog = Collections.unmodifiableSortedMap(new TreeMap<>(byLog));
    }

    /** The places of a marker, to be resolved by their ids. */
    public static Places of(ProgressMarker marker) {
        SortedMap<String, Place> places = new TreeMap<>();
        marker.positions().forEach((log, id) -> places.put(log, new Place(0, new Position(id, 0))));
        return new Places(places);
    }

    /** Null: at the oldest event. */
    public @Nullable Place of(String log) {
        return byLog.get(log);
    }

    /** Of each log the place with the lower cluster time; a log that one of them does not name is not named. */
    public Places lower(Places other) {
        return combine(other, (one, two) -> one.position().isBefore(two.position()) ? one : two);
    }

    private Places combine(Places other, BinaryOperator<Place> choice) {
        SortedMap<String, Place> combined = new TreeMap<>();
        TreeSet<String> both = new TreeSet<>(byLog.keySet());
        both.retainAll(other.byLog.keySet());
        for (String log : both) {
            Place one = byLog.get(log);
            Place two = other.byLog.get(log);
            if (one != null && two != null) {
                combined.put(log, choice.apply(one, two));
            }
        }
        return new Places(combined);
    }

    /** As consumers know it: the event ids. */
    public ProgressMarker marker() {
        TreeMap<String, EventId> ids = new TreeMap<>();
        byLog.forEach((log, place) -> ids.put(log, place.position().id()));
        return new ProgressMarker(ids);
    }

    /** The places as text, by log; {@link #parse} reads it. */
    public Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        byLog.forEach((log, place) -> texts.put(log, place.toString()));
        return texts;
    }

    public static Places parse(Map<String, String> texts) {
        SortedMap<String, Place> places = new TreeMap<>();
        texts.forEach((log, text) -> places.put(log, Place.parse(text)));
        return new Places(places);
    }
}
