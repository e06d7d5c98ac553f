package dev.sluice.devmongo;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/**
 * Which live value stands for which recorded one: cluster times (in the same order), tokens, collection ids, object ids
 * and cursors. Learned from pairs of replies; once learned, the same recorded value must always meet the same live one.
 */
final class Translation {
    /** At least 20 digits: a cursor's id, which may begin with 82 too, has at most 19. */
    static final Pattern TOKEN = Pattern.compile("82[0-9A-F]{18}[0-9A-F]*");

    private static final int TIME_END = 18;

    private final TreeMap<Long, Long> times = new TreeMap<>(Long::compareUnsigned);
    private final Map<String, String> others = new HashMap<>();
    private final Map<String, String> reverse = new HashMap<>();

    /** Whether the recorded time is older than every one met so far. */
    boolean isOldest(BsonTimestamp recorded) {
        return times.isEmpty() || Long.compareUnsigned(recorded.getValue(), times.firstKey()) < 0;
    }

    /** Whether the recorded time is newer than every one met so far. */
    boolean isNewest(BsonTimestamp recorded) {
        return !times.isEmpty() && Long.compareUnsigned(recorded.getValue(), times.lastKey()) > 0;
    }

    /** Learns, or checks what was learned; says whether the order of times is kept. */
    boolean pairTime(BsonTimestamp recorded, BsonTimestamp live) {
        Long known = times.get(recorded.getValue());
        if (known != null) {
            return known == live.getValue();
        }
        Map.Entry<Long, Long> below = times.lowerEntry(recorded.getValue());
        Map.Entry<Long, Long> above = times.higherEntry(recorded.getValue());
        boolean inOrder = (below == null || Long.compareUnsigned(below.getValue(), live.getValue()) < 0)
                && (above == null || Long.compareUnsigned(above.getValue(), live.getValue()) > 0);
        times.put(recorded.getValue(), live.getValue());
        return inOrder;
    }

    /** A time never met is as far from the nearest known one as it was in the recording. */
    BsonTimestamp time(BsonTimestamp recorded) {
        long wanted = recorded.getValue();
        if (times.isEmpty() || Integer.compareUnsigned(recorded.getTime(), 1000) < 0) {
            return recorded;
        }
        Map.Entry<Long, Long> below = times.floorEntry(wanted);
        Map.Entry<Long, Long> above = times.ceilingEntry(wanted);
        Map.Entry<Long, Long> nearest =
                above == null || below != null && wanted - below.getKey() <= above.getKey() - wanted ? below : above;
        return new BsonTimestamp(nearest.getValue() + (wanted - nearest.getKey()));
    }

    /** Learns or checks a pair of anything but times: one live value per recorded one, and the other way round. */
    boolean pair(String recorded, String live) {
        String known = others.putIfAbsent(recorded, live);
        String back = reverse.putIfAbsent(live, recorded);
        return (known == null || known.equals(live)) && (back == null || back.equals(recorded));
    }

    boolean knows(String recorded) {
        return others.containsKey(recorded);
    }

    String other(String recorded) {
        return others.getOrDefault(recorded, recorded);
    }

    static BsonTimestamp timeOf(String token) {
        return new BsonTimestamp(Long.parseUnsignedLong(token.substring(2, TIME_END), 16));
    }

    /** A token the server gave, or one made up from such: the same damage done to the live one. */
    String token(String recorded) {
        if (others.containsKey(recorded)) {
            return others.get(recorded);
        }
        if (!TOKEN.matcher(recorded).matches()) {
            return recorded;
        }
        String live = "82%016X".formatted(time(timeOf(recorded)).getValue()) + recorded.substring(TIME_END);
        for (Map.Entry<String, String> known : others.entrySet()) {
            if (known.getKey().length() == 32 || known.getKey().length() == 24) {
                live = live.replace(known.getKey(), known.getValue());
            }
        }
        return live;
    }

    /** The request to send for a recorded one. */
    BsonDocument request(BsonDocument recorded) {
        BsonDocument live = translate(recorded).asDocument();
        if (recorded.isInt64("getMore")) {
            live.put("getMore", cursor(recorded.get("getMore")));
        }
        if (recorded.containsKey("killCursors")) {
            live.put(
                    "cursors",
                    new BsonArray(recorded.getArray("cursors").stream()
                            .map(this::cursor)
                            .toList()));
        }
        return live;
    }

    private BsonValue cursor(BsonValue recorded) {
        return new BsonInt64(
                Long.parseLong(other(Long.toString(recorded.asInt64().getValue()))));
    }

    private BsonValue translate(BsonValue value) {
        return switch (value.getBsonType()) {
            case DOCUMENT -> {
                BsonDocument live = new BsonDocument();
                value.asDocument()
                        .forEach((name, field) -> live.append(
                                name,
                                name.equals("_data") && field.isString()
                                        ? new BsonString(token(field.asString().getValue()))
                                        : translate(field)));
                yield live;
            }
            case ARRAY ->
                new BsonArray(value.asArray().stream().map(this::translate).toList());
            case TIMESTAMP -> time(value.asTimestamp());
            default -> value;
        };
    }
}
