package dev.sluice.devmongo;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;

/**
 * Compares a whole reply with the recorded one: names, order, types and values. Only what differs by nature is not
 * compared by value: times must map one to one in the same order, tokens must have the same shape and stand for the same
 * event, ids of cursors, collections and processes must map one to one; dates, connection ids and build strings need
 * only the same type.
 */
final class ReplyComparison {
    private static final Set<String> BY_NATURE = Set.of(
            "localTime",
            "lastWriteDate",
            "majorityWriteDate",
            "connectionId",
            "gitVersion",
            "buildEnvironment.distmod",
            "buildEnvironment.distarch",
            "buildEnvironment.cc",
            "buildEnvironment.ccflags",
            "buildEnvironment.cxx",
            "buildEnvironment.cxxflags",
            "buildEnvironment.linkflags",
            "buildEnvironment.target_arch",
            "buildEnvironment.target_os",
            "buildEnvironment.cppdefines",
            "storageEngines");
    private static final Pattern HOST = Pattern.compile("127\\.0\\.0\\.1:\\d+");
    private static final Pattern RECORD = Pattern.compile("RecordId\\((\\d+)\\)");
    private static final Pattern UUID_IN_TOKEN = Pattern.compile("5A1004([0-9A-F]{32})");
    private static final Pattern HIGH_WATER_MARK = Pattern.compile("82[0-9A-F]{16}2B0229296E04");
    private static final Pattern CURSOR = Pattern.compile("(?<=cursor |cursor id )\\d{6,}");

    private final Translation translation;
    private final List<String> differences = new ArrayList<>();
    private BsonDocument recordedReply = new BsonDocument();
    private BsonDocument liveReply = new BsonDocument();

    ReplyComparison(Translation translation) {
        this.translation = translation;
    }

    /** Every difference, in words; empty when the live reply is the recorded one. */
    List<String> differences(BsonDocument recorded, BsonDocument live) {
        recordedReply = recorded;
        liveReply = live;
        differences.clear();
        documents("", recorded, live);
        return List.copyOf(differences);
    }

    private void documents(String path, BsonDocument recorded, BsonDocument live) {
        List<String> expected = List.copyOf(recorded.keySet());
        List<String> actual = List.copyOf(live.keySet());
        if (!expected.equals(actual)) {
            differences.add(path + ": fields " + expected + " but " + actual);
            Set<String> common = new HashSet<>(expected);
            common.retainAll(actual);
            expected = expected.stream().filter(common::contains).toList();
        }
        for (String name : expected) {
            values(path.isEmpty() ? name : path + "." + name, recorded.get(name), live.get(name));
        }
    }

    private void values(String path, BsonValue recorded, BsonValue live) {
        if (recorded.getBsonType() != live.getBsonType()) {
            differences.add(path + ": " + recorded + " but " + live);
            return;
        }
        if (BY_NATURE.stream().anyMatch(path::endsWith)) {
            return;
        }
        switch (recorded.getBsonType()) {
            case DOCUMENT -> documents(path, recorded.asDocument(), live.asDocument());
            case ARRAY -> arrays(path, recorded, live);
            case TIMESTAMP -> times(path, recorded.asTimestamp(), live.asTimestamp());
            case STRING ->
                strings(path, recorded.asString().getValue(), live.asString().getValue());
            case OBJECT_ID -> objectIds(path, recorded, live);
            default -> {
                if (path.equals("cursor.id") || path.startsWith("cursorsKilled")) {
                    cursors(path, recorded, live);
                } else {
                    require(recorded.equals(live), path, recorded, live);
                }
            }
        }
    }

    private void arrays(String path, BsonValue recorded, BsonValue live) {
        if (recorded.asArray().size() != live.asArray().size()) {
            differences.add(path + ": " + recorded.asArray().size() + " elements but "
                    + live.asArray().size() + ": " + shorten(recorded) + " but " + shorten(live));
        }
        int common = Math.min(recorded.asArray().size(), live.asArray().size());
        for (int i = 0; i < common; i++) {
            values(path + "." + i, recorded.asArray().get(i), live.asArray().get(i));
        }
    }

    private void times(String path, BsonTimestamp recorded, BsonTimestamp live) {
        if (path.equals("$clusterTime.clusterTime")) {
            BsonTimestamp operation = liveReply.getTimestamp("operationTime");
            require(live.compareTo(operation) >= 0, path, operation, live);
            return;
        }
        require(translation.pairTime(recorded, live), path, translation.time(recorded), live);
    }

    private void cursors(String path, BsonValue recorded, BsonValue live) {
        long expected = recorded.asInt64().getValue();
        long actual = live.asInt64().getValue();
        require(
                (expected == 0) == (actual == 0)
                        && (expected == 0 || translation.pair(Long.toString(expected), Long.toString(actual))),
                path,
                recorded,
                live);
    }

    private void objectIds(String path, BsonValue recorded, BsonValue live) {
        String expected = recorded.asObjectId().getValue().toHexString();
        String actual = live.asObjectId().getValue().toHexString();
        boolean madeByServer = path.contains("processId") || path.contains("upserted") || translation.knows(expected);
        require(madeByServer ? translation.pair(expected, actual) : expected.equals(actual), path, recorded, live);
        if (path.contains("upserted")) {
            translation.pair(expected.toUpperCase(java.util.Locale.ROOT), actual.toUpperCase(java.util.Locale.ROOT));
        }
    }

    private void strings(String path, String recorded, String live) {
        List<String> expectedTokens = all(Translation.TOKEN, recorded);
        List<String> actualTokens = all(Translation.TOKEN, live);
        if (expectedTokens.size() != actualTokens.size()) {
            differences.add(path + ": " + recorded + " but " + live);
            return;
        }
        for (int i = 0; i < expectedTokens.size(); i++) {
            tokens(path, expectedTokens.get(i), actualTokens.get(i));
        }
        records(path, recorded, live);
        String expected = plain(translated(recorded));
        String actual = plain(live);
        if (!expected.equals(actual)) {
            differences.add(path + ": " + shorten(expected) + " but " + shorten(actual));
        }
    }

    private String translated(String recorded) {
        Matcher cursors = CURSOR.matcher(recorded);
        return cursors.replaceAll(found -> translation.other(found.group()));
    }

    private static String plain(String text) {
        return RECORD.matcher(HOST.matcher(Translation.TOKEN.matcher(text).replaceAll("TOKEN"))
                        .replaceAll("HOST"))
                .replaceAll("RECORD");
    }

    private void records(String path, String recorded, String live) {
        Matcher expected = RECORD.matcher(recorded);
        Matcher actual = RECORD.matcher(live);
        if (expected.find() && actual.find()) {
            times(
                    path,
                    new BsonTimestamp(Long.parseLong(expected.group(1))),
                    new BsonTimestamp(Long.parseLong(actual.group(1))));
        }
    }

    private void tokens(String path, String recorded, String live) {
        if (translation.knows(recorded)) {
            require(translation.other(recorded).equals(live), path, translation.other(recorded), live);
            return;
        }
        if (HIGH_WATER_MARK.matcher(recorded).matches()) {
            marks(path, recorded, live);
        } else {
            times(path, Translation.timeOf(recorded), Translation.timeOf(live));
            pairUuids(path, recorded, live);
        }
        require(translation.token(recorded).substring(18).equals(live.substring(18)), path, recorded, live);
        require(translation.pair(recorded, live), path, recorded, live);
    }

    /** A fresh stream's mark is the cluster time plus one; later ones name the time that was scanned. */
    private void marks(String path, String recorded, String live) {
        BsonTimestamp expected = Translation.timeOf(recorded);
        BsonTimestamp actual = Translation.timeOf(live);
        boolean opening = recordedReply.isDocument("cursor")
                && recordedReply.getDocument("cursor").containsKey("firstBatch")
                && follows(recordedReply, expected);
        require(
                opening
                        ? follows(liveReply, actual)
                        : translation.time(expected).equals(actual),
                path,
                opening ? "cluster time plus 1" : translation.time(expected),
                actual);
    }

    private static boolean follows(BsonDocument reply, BsonTimestamp mark) {
        return reply.getDocument("$clusterTime").getTimestamp("clusterTime").getValue() + 1 == mark.getValue();
    }

    private void pairUuids(String path, String recorded, String live) {
        List<MatchResult> expected = UUID_IN_TOKEN.matcher(recorded).results().toList();
        List<MatchResult> actual = UUID_IN_TOKEN.matcher(live).results().toList();
        if (expected.size() == 1 && actual.size() == 1) {
            String left = expected.getFirst().group(1);
            String right = actual.getFirst().group(1);
            require(translation.pair(left, right), path, left, right);
        }
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(MatchResult::group).toList();
    }

    private void require(boolean same, String path, Object recorded, Object live) {
        if (!same) {
            differences.add(path + ": " + shorten(recorded) + " but " + shorten(live));
        }
    }

    private static String shorten(Object value) {
        String text = value.toString();
        return text.length() > 400 ? text.substring(0, 400) + "…" : text;
    }
}
