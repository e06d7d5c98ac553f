package dev.sluice.model;

/**
 * A place in one event log: an event id, and the order of arrival within its cluster time, from 1. Ordinal 0 is the place
 * just before the first event of that time. Positions are totally ordered within one log identity; another Puller may count
 * the events of one cluster time differently, so what is kept for another log is resolved there by its id.
 */
public record Position(EventId id, int ordinal) implements Comparable<Position> {
    /** Before every event. */
    public static final Position START = before(ClusterTime.ZERO);

    public Position {
        if (ordinal < 0) {
            throw new InvalidInputException("the ordinal of a position is not negative: " + ordinal);
        }
    }

    /** The place just before the first event of this time. */
    public static Position before(ClusterTime time) {
        return new Position(new EventId(time, 0), 0);
    }

    /** The place behind every event of this time. */
    public static Position behind(ClusterTime time) {
        return new Position(new EventId(time, 0), Integer.MAX_VALUE);
    }

    public ClusterTime time() {
        return id.time();
    }

    public boolean isBefore(Position other) {
        return compareTo(other) < 0;
    }

    public static Position lower(Position one, Position other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    public static Position higher(Position one, Position other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** By cluster time, then by ordinal: two ids of one place are equal in this order. */
    @Override
    public int compareTo(Position other) {
        int byTime = id.time().compareTo(other.id.time());
        return byTime != 0 ? byTime : Integer.compare(ordinal, other.ordinal);
    }

    /** Reads what {@link #toString} writes. */
    public static Position parse(String text) {
        int hash = text.lastIndexOf('#');
        if (hash < 0) {
            throw new InvalidInputException("position " + InvalidInputException.quote(text) + " has no ordinal");
        }
        try {
            return new Position(EventId.parse(text.substring(0, hash)), Integer.parseInt(text.substring(hash + 1)));
        } catch (NumberFormatException e) {
            throw new InvalidInputException(
                    "position " + InvalidInputException.quote(text) + " has an ordinal that is not a number");
        }
    }

    @Override
    public String toString() {
        return id + "#" + ordinal;
    }
}
