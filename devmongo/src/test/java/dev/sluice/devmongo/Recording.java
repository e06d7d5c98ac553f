package dev.sluice.devmongo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/** One recorded exchange with a real MongoDB 4.4, read from the test resources. */
public record Recording(int step, String label, BsonDocument request, BsonDocument reply) {
    public static List<Recording> read(String scenario) {
        try (InputStream file = Recording.class.getResourceAsStream("/recordings/" + scenario + ".jsonl")) {
            String lines = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            return lines.lines().map(Recording::parse).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Recording parse(String line) {
        BsonDocument json = BsonDocument.parse(line);
        return new Recording(
                json.getNumber("step").intValue(),
                json.getString("label").getValue(),
                document(json.get("request")),
                document(json.get("reply")));
    }

    private static BsonDocument document(BsonValue value) {
        return value instanceof BsonDocument document ? document : new BsonDocument();
    }

    /** The change events of a getMore's reply. */
    public Stream<BsonDocument> events() {
        BsonDocument cursor = reply.getDocument("cursor", new BsonDocument());
        return cursor.getArray("nextBatch", new BsonArray()).stream().map(BsonValue::asDocument);
    }
}
