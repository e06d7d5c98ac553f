package dev.sluice.route;

import dev.sluice.deliver.JsonText;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.model.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonValue;
import org.bson.json.JsonParseException;

/**
 * What a claim keeps of a partition: where to begin, and who stands elsewhere.
 *
 * @param head up to where events had been read; what is at or before it may come twice
 * @param low where to begin reading: everybody who is not named below has acknowledged all up to here
 * @param behind classes of gateways that are far behind, each with the lowest position it has not acknowledged
 * @param starting subscriptions that began in the past and have not come to the head yet
 * @param toResync subscriptions that are to be sent RESYNC and have not acknowledged it; only partition 0 acts on it,
 *     because the partitions of a new layout all begin with one text
 */
record SavedPosition(
        ProgressMarker head,
        ProgressMarker low,
        Map<LaneKey, ProgressMarker> behind,
        Map<String, ProgressMarker> starting,
        ToResync toResync) {

    SavedPosition(
            ProgressMarker head,
            ProgressMarker low,
            Map<LaneKey, ProgressMarker> behind,
            Map<String, ProgressMarker> starting) {
        this(head, low, behind, starting, ToResync.NONE);
    }

    /** What a group begins with whose positions were lost while its subscriptions survived: now, and RESYNC to all. */
    static SavedPosition afterLoss() {
        return new SavedPosition(ProgressMarker.NOWHERE, ProgressMarker.NOWHERE, Map.of(), Map.of(), ToResync.ALL);
    }

    /** It names no position: the partition begins now. */
    boolean isNowhere() {
        return low.equals(ProgressMarker.NOWHERE);
    }

    record LaneKey(Recipient owner, Priority priority) {
        /** The class a subscription is of, unless it is broadcast. */
        static LaneKey of(Subscription subscription) {
            return new LaneKey(Router.owner(subscription), subscription.priority());
        }
    }

    /** The text of it; when that would be too long, one that begins earlier and names fewer. */
    String text(int longest) {
        String all = write();
        if (all.length() <= longest) {
            return all;
        }
        ToResync some = toResync.isEmpty() ? ToResync.NONE : ToResync.ALL;
        String resyncingAll = new SavedPosition(head, low, behind, starting, some).write();
        if (resyncingAll.length() <= longest) {
            return resyncingAll;
        }
        Positions start = Positions.of(low);
        starting.values().forEach(each -> start.lower(Positions.of(each)));
        Map<LaneKey, ProgressMarker> lanes = new LinkedHashMap<>(behind);
        // A subscription that is no longer named goes on with its class, so that may not stand behind its start.
        starting.values().forEach(at -> lanes.replaceAll((key, mine) -> lower(mine, at)));
        String withoutStarting = new SavedPosition(head, start.marker(), lanes, Map.of(), some).write();
        if (withoutStarting.length() <= longest) {
            return withoutStarting;
        }
        lanes.values().forEach(each -> start.lower(Positions.of(each)));
        return new SavedPosition(head, start.marker(), Map.of(), Map.of(), some).write();
    }

    private static ProgressMarker lower(ProgressMarker a, ProgressMarker b) {
        Positions lower = Positions.of(a);
        lower.lower(Positions.of(b));
        return lower.marker();
    }

    /**
     * Both in one text: everybody begins where the last of either would, and nobody is named. Where nothing is saved nobody
     * was registered yet: it begins with the other.
     */
    static String lowerOf(String one, String other) {
        Optional<SavedPosition> a = parse(one);
        Optional<SavedPosition> b = parse(other);
        if (a.isEmpty() || b.isEmpty()) {
            return a.isEmpty() ? other : one;
        }
        ToResync toResync = a.get().toResync.and(b.get().toResync);
        if (a.get().isNowhere() || b.get().isNowhere()) {
            SavedPosition known = a.get().isNowhere() ? b.get() : a.get();
            return new SavedPosition(known.head, known.low, known.behind, known.starting, toResync).write();
        }
        Positions head = Positions.of(a.get().head);
        head.raise(Positions.of(b.get().head));
        Positions start = a.get().lowest();
        start.lower(b.get().lowest());
        return new SavedPosition(head.marker(), start.marker(), Map.of(), Map.of(), toResync).write();
    }

    /** Without the classes of these owners: they have no subscriptions any more, and nobody is owed anything there. */
    SavedPosition without(Predicate<Recipient> owners) {
        Map<LaneKey, ProgressMarker> rest = new LinkedHashMap<>(behind);
        rest.keySet().removeIf(key -> owners.test(key.owner()));
        return new SavedPosition(head, low, rest, starting, toResync);
    }

    private Positions lowest() {
        Positions lowest = Positions.of(low);
        behind.values().forEach(each -> lowest.lower(Positions.of(each)));
        starting.values().forEach(each -> lowest.lower(Positions.of(each)));
        return lowest;
    }

    String write() {
        StringBuilder text = new StringBuilder(256);
        text.append("{\"head\":\"").append(head.encode());
        text.append("\",\"low\":\"").append(low.encode()).append('"');
        Map<ProgressMarker, List<String>> lanes = new LinkedHashMap<>();
        behind.forEach((key, at) -> lanes.computeIfAbsent(at, none -> new ArrayList<>())
                .add(key.priority().text() + ":" + key.owner().stored()));
        groups(text, "behind", lanes);
        Map<ProgressMarker, List<String>> subscriptions = new LinkedHashMap<>();
        starting.forEach((id, at) ->
                subscriptions.computeIfAbsent(at, none -> new ArrayList<>()).add(id));
        groups(text, "starting", subscriptions);
        if (toResync.all()) {
            text.append(",\"resyncAll\":true");
        } else if (!toResync.isEmpty()) {
            text.append(",\"resync\":[");
            quoteAll(toResync.subscriptions(), text);
            text.append(']');
        }
        return text.append('}').toString();
    }

    private static void quoteAll(Collection<String> all, StringBuilder text) {
        String comma = "";
        for (String each : all) {
            text.append(comma);
            JsonText.quote(each, text);
            comma = ",";
        }
    }

    private static void groups(StringBuilder text, String name, Map<ProgressMarker, List<String>> groups) {
        if (groups.isEmpty()) {
            return;
        }
        text.append(",\"").append(name).append("\":[");
        String separator = "";
        for (Map.Entry<ProgressMarker, List<String>> group : groups.entrySet()) {
            text.append(separator).append("{\"at\":\"").append(group.getKey().encode());
            text.append("\",\"of\":[");
            quoteAll(group.getValue(), text);
            text.append("]}");
            separator = ",";
        }
        text.append(']');
    }

    /**
     * Empty for the empty text: nobody has worked on the partition yet.
     *
     * @throws InvalidInputException when it is none of ours
     */
    static Optional<SavedPosition> parse(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            BsonDocument saved = BsonDocument.parse(text);
            Map<LaneKey, ProgressMarker> behind = new LinkedHashMap<>();
            read(saved, "behind").forEach((of, at) -> behind.put(key(of), at));
            return Optional.of(new SavedPosition(
                    ProgressMarker.decode(saved.getString("head").getValue()),
                    ProgressMarker.decode(saved.getString("low").getValue()),
                    behind,
                    read(saved, "starting"),
                    toResync(saved)));
        } catch (JsonParseException | BsonInvalidOperationException e) {
            throw new InvalidInputException("the partition's saved position " + InvalidInputException.quote(text)
                    + " is not one of a Streamer: " + e.getMessage());
        }
    }

    private static ToResync toResync(BsonDocument saved) {
        Set<String> ids = new LinkedHashSet<>();
        saved.getArray("resync", new BsonArray())
                .forEach(id -> ids.add(id.asString().getValue()));
        return new ToResync(saved.getBoolean("resyncAll", BsonBoolean.FALSE).getValue(), ids);
    }

    private static Map<String, ProgressMarker> read(BsonDocument saved, String name) {
        Map<String, ProgressMarker> positions = new LinkedHashMap<>();
        for (BsonValue group : saved.getArray(name, new BsonArray())) {
            ProgressMarker at =
                    ProgressMarker.decode(group.asDocument().getString("at").getValue());
            for (BsonValue of : group.asDocument().getArray("of")) {
                positions.put(of.asString().getValue(), at);
            }
        }
        return positions;
    }

    private static LaneKey key(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new BsonInvalidOperationException("a lane is named by its priority and its gateway");
        }
        return new LaneKey(Recipient.parse(text.substring(colon + 1)), Priority.parse(text.substring(0, colon)));
    }
}
