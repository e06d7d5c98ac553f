package dev.sluice.devmongo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/** One recorded scenario: every request that was sent to a real MongoDB 4.4, and its whole reply. */
public record Recording(String name, List<Step> steps) {
    private static final Pattern SHORTENED = Pattern.compile("<(\\d+) chars of '(.)'>");

    static final List<String> NAMES = List.of(
            "01_hello",
            "02_open_db_stream",
            "03_insert",
            "04_update",
            "05_update_lookup_races",
            "06_replace",
            "07_delete",
            "08_upsert",
            "09_transaction",
            "10_transaction_split_batches",
            "11_drop_collection",
            "12_rename_collection",
            "13_drop_database_invalidate",
            "14_empty_getmore",
            "15_match_in_nin",
            "16_resume",
            "17_error_invalid_token",
            "18_error_oversized_event",
            "19_batches",
            "20_error_history_lost",
            "21_error_standalone",
            "22_error_interrupted");

    /** One line of the file. */
    public record Step(int number, String label, BsonDocument request, BsonDocument reply) {
        /** Not a reply but something the recorder read or measured. */
        boolean isFact() {
            return label.startsWith("fact:") || label.startsWith("measured:");
        }

        /** The change events of a getMore's reply. */
        public Stream<BsonDocument> events() {
            BsonDocument cursor = reply.getDocument("cursor", new BsonDocument());
            return cursor.getArray("nextBatch", new BsonArray()).stream().map(BsonValue::asDocument);
        }

        boolean sawClosedConnection() {
            return reply.containsKey("clientSaw");
        }

        boolean readsStream() {
            return request.containsKey("getMore")
                    || request.isArray("pipeline")
                            && request.getArray("pipeline").get(0).asDocument().containsKey("$changeStream");
        }
    }

    public static Recording load(String name) {
        try (InputStream in = Recording.class.getResourceAsStream("/recordings/" + name + ".jsonl")) {
            List<Step> steps = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(BsonDocument::parse)
                    .map(line -> new Step(
                            line.getInt32("step").getValue(),
                            line.getString("label").getValue(),
                            lengthen(line.get("request")).asDocument(),
                            lengthen(line.get("reply")).asDocument()))
                    .toList();
            return new Recording(name, steps);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Strings of millions of characters were shortened in the files. */
    private static BsonValue lengthen(BsonValue value) {
        if (value.isDocument()) {
            BsonDocument whole = new BsonDocument();
            value.asDocument().forEach((name, field) -> whole.append(name, lengthen(field)));
            return whole;
        }
        if (value.isArray()) {
            return new BsonArray(
                    value.asArray().stream().map(Recording::lengthen).toList());
        }
        Matcher shortened =
                SHORTENED.matcher(value.isString() ? value.asString().getValue() : "");
        return shortened.matches()
                ? new BsonString(shortened.group(2).repeat(Integer.parseInt(shortened.group(1))))
                : value;
    }
}
