package dev.sluice.saved;

import dev.sluice.coordinate.Claim;
import dev.sluice.deliver.JsonText;
import dev.sluice.lane.GroupKey;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Position;
import dev.sluice.model.Priority;
import dev.sluice.model.ProgressMarker;
import dev.sluice.saved.SavedPosition.Member;
import dev.sluice.saved.SavedPosition.OfGroup;
import dev.sluice.saved.SavedPosition.OfStream;
import dev.sluice.subscribe.Home;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonValue;
import org.bson.json.JsonParseException;

/**
 * Saved positions as text. Version 2 is what is written; the text of version 0.1, which named positions of gateways instead of
 * groups, is still read and carried over.
 */
public final class SavedPositionText {
    /** The revision that every subscription of version 0.1 got when it was carried over. */
    private static final long CARRIED_OVER = 1;

    private SavedPositionText() {}

    /**
     * The text of a position. One that would be too long begins earlier: a lower revision leaves out what was created since; where
     * no revision is enough, neighbouring side groups are one, of the highest revision with which that is enough; and if none is,
     * everything begins at the lowest place.
     */
    public static String write(SavedPosition saved, int longest) {
        List<SavedPosition> shorter = saved.ofLowerRevisions();
        for (SavedPosition each : shorter) {
            String text = write(each);
            if (text.length() <= longest) {
                return text;
            }
        }
        boolean isMergingEnough =
                write(shorter.getLast().merged(Integer.MAX_VALUE)).length() <= longest;
        for (SavedPosition each : isMergingEnough ? shorter : List.<SavedPosition>of()) {
            String text = merged(each, longest);
            if (text.length() <= longest) {
                return text;
            }
        }
        String lowered = write(saved.lowered());
        if (lowered.length() <= longest) {
            return lowered;
        }
        // Too many RESYNC are owed: a lower revision owes them by the subscriptions' records.
        return write(new SavedPosition(saved.registry(), 0, saved.lowered().streams(), List.of()));
    }

    /** The text with as few side groups merged as it takes, or up to twice as many; too long where merging all is not enough. */
    private static String merged(SavedPosition saved, int longest) {
        String text = write(saved);
        int before = Integer.MAX_VALUE;
        for (int merges = 1; text.length() > longest && text.length() < before; merges *= 2) {
            before = text.length();
            text = write(saved.merged(merges));
        }
        return text;
    }

    public static String write(SavedPosition saved) {
        StringBuilder text = new StringBuilder(256);
        text.append("{\"v\":2,\"registry\":\"").append(Long.toUnsignedString(saved.registry(), 16));
        text.append("\",\"revision\":\"").append(saved.revision()).append("\",\"streams\":{");
        String comma = "";
        for (Map.Entry<String, OfStream> stream : saved.streams().entrySet()) {
            text.append(comma);
            JsonText.quote(stream.getKey(), text);
            text.append(':');
            write(stream.getValue(), text);
            comma = ",";
        }
        text.append('}');
        if (!saved.resync().isEmpty()) {
            text.append(",\"resync\":");
            members(saved.resync(), text);
        }
        return text.append('}').toString();
    }

    private static void write(OfStream stream, StringBuilder text) {
        text.append("{\"log\":\"").append(Long.toUnsignedString(stream.identity(), 16));
        text.append("\",\"tail\":\"").append(stream.tail());
        text.append("\",\"sent\":\"").append(stream.sent()).append('"');
        if (stream.revision() != OfStream.AS_WHOLE) {
            text.append(",\"revision\":\"").append(stream.revision()).append('"');
        }
        if (!stream.groups().isEmpty()) {
            text.append(",\"groups\":[");
            String comma = "";
            for (OfGroup group : stream.groups()) {
                text.append(comma).append("{\"key\":");
                JsonText.quote(group.key().text(), text);
                text.append(",\"at\":\"").append(group.at()).append('"');
                if (group.members() != null) {
                    text.append(",\"of\":");
                    members(group.members(), text);
                }
                text.append('}');
                comma = ",";
            }
            text.append(']');
        }
        text.append('}');
    }

    private static void members(List<Member> members, StringBuilder text) {
        text.append('[');
        String comma = "";
        for (Member member : members) {
            text.append(comma);
            JsonText.quote(member.id(), text);
            text.append(",\"").append(member.created()).append('"');
            comma = ",";
        }
        text.append(']');
    }

    /**
     * Reads a position. Empty for the empty text: the partition is new.
     *
     * @throws InvalidInputException when it is none of ours
     */
    public static Optional<SavedPosition> parse(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            BsonDocument saved = BsonDocument.parse(text);
            return saved.containsKey("v") ? Optional.of(version2(saved)) : version1(saved);
        } catch (JsonParseException | BsonInvalidOperationException | NumberFormatException e) {
            throw new InvalidInputException("the partition's saved position " + InvalidInputException.quote(text)
                    + " is not one of a Streamer: " + e.getMessage());
        }
    }

    private static SavedPosition version2(BsonDocument saved) {
        Map<String, OfStream> streams = new TreeMap<>();
        saved.getDocument("streams").forEach((log, stream) -> streams.put(log, stream(stream.asDocument())));
        return new SavedPosition(
                Long.parseUnsignedLong(string(saved, "registry"), 16),
                Long.parseLong(string(saved, "revision")),
                streams,
                members(saved.getArray("resync", new BsonArray())));
    }

    private static OfStream stream(BsonDocument stream) {
        List<OfGroup> groups = new ArrayList<>();
        for (BsonValue each : stream.getArray("groups", new BsonArray())) {
            BsonDocument group = each.asDocument();
            groups.add(new OfGroup(
                    GroupKey.parse(string(group, "key")),
                    Position.parse(string(group, "at")),
                    group.containsKey("of") ? members(group.getArray("of")) : null));
        }
        return new OfStream(
                Long.parseUnsignedLong(string(stream, "log"), 16),
                Position.parse(string(stream, "tail")),
                time(string(stream, "sent")),
                groups,
                stream.containsKey("revision") ? Long.parseLong(string(stream, "revision")) : OfStream.AS_WHOLE);
    }

    private static ClusterTime time(String text) {
        int dash = text.indexOf('-');
        return ClusterTime.of(Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
    }

    private static List<Member> members(BsonArray texts) {
        List<Member> members = new ArrayList<>();
        for (int k = 0; k + 1 < texts.size(); k += 2) {
            members.add(new Member(
                    texts.get(k).asString().getValue(),
                    Long.parseLong(texts.get(k + 1).asString().getValue())));
        }
        return members;
    }

    private static String string(BsonDocument document, String name) {
        return document.getString(name).getValue();
    }

    // Version 0.1.

    private static Optional<SavedPosition> version1(BsonDocument saved) {
        ProgressMarker head = ProgressMarker.decode(string(saved, "head"));
        ProgressMarker low = ProgressMarker.decode(string(saved, "low"));
        if (low.equals(ProgressMarker.NOWHERE)) {
            return Optional.empty();
        }
        Map<String, List<OfGroup>> groups = new LinkedHashMap<>();
        read1(saved, "behind")
                .forEach((of, at) -> at.positions()
                        .forEach((log, id) -> groups.computeIfAbsent(log, none -> new ArrayList<>())
                                .add(new OfGroup(key1(of), new Position(id, 0), null))));
        read1(saved, "starting")
                .forEach((of, at) -> at.positions()
                        .forEach((log, id) -> groups.computeIfAbsent(log, none -> new ArrayList<>())
                                .add(new OfGroup(
                                        GroupKey.broadcast(""), new Position(id, 0), List.of(new Member(of, 0))))));
        Map<String, OfStream> streams = new TreeMap<>();
        low.positions().forEach((log, id) -> {
            EventId read = head.position(log).orElse(id);
            streams.put(log, new OfStream(0, new Position(id, 0), read.time(), groups.getOrDefault(log, List.of())));
        });
        List<Member> resync = new ArrayList<>();
        saved.getArray("resync", new BsonArray())
                .forEach(id -> resync.add(new Member(id.asString().getValue(), 0)));
        return Optional.of(new SavedPosition(0, CARRIED_OVER, streams, resync));
    }

    private static Map<String, ProgressMarker> read1(BsonDocument saved, String name) {
        Map<String, ProgressMarker> positions = new LinkedHashMap<>();
        for (BsonValue group : saved.getArray(name, new BsonArray())) {
            ProgressMarker at = ProgressMarker.decode(string(group.asDocument(), "at"));
            for (BsonValue of : group.asDocument().getArray("of")) {
                positions.put(of.asString().getValue(), at);
            }
        }
        return positions;
    }

    /** A class of a gateway, of a share ({@code \1 number}), or of a broadcast ({@code \2 gateway \2 subject}). */
    private static GroupKey key1(String text) {
        int colon = text.indexOf(':');
        Priority priority = Priority.parse(text.substring(0, colon));
        String owner = text.substring(colon + 1);
        if (owner.startsWith("\u0001")) {
            return new GroupKey(new Home.Share(Integer.parseInt(owner.substring(1))), "", priority);
        }
        if (owner.startsWith("\u0002")) {
            return GroupKey.broadcast(owner.substring(1, owner.indexOf('\u0002', 1)));
        }
        return new GroupKey(new Home.Gateway(owner), "", priority);
    }

    /** Of two positions that claims keep, one from which a partition loses nothing of either. */
    public static String lowerOf(String one, String other) {
        SavedPosition a = parse(one).orElse(null);
        SavedPosition b = parse(other).orElse(null);
        if (a == null || b == null) {
            return a == null ? other : one;
        }
        return write(a.lower(b), Claim.LONGEST_POSITION);
    }
}
