package dev.sluice.devmongo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.Test;

/** Documents of a real MongoDB as JSON: {@link RawBson#toJsonBytes} writes what the driver writes. */
class RecordedJsonTest {
    private static final JsonWriterSettings RELAXED =
            JsonWriterSettings.builder().outputMode(JsonMode.RELAXED).build();

    /** Larger ones hold one letter millions of times. */
    private static final int MAX_BYTES = 100_000;

    @Test
    void everyRecordedDocumentIsWrittenAsTheDriverWritesIt() {
        List<RawBson> documents = Recording.NAMES.stream()
                .flatMap(name -> Recording.load(name).steps().stream())
                .flatMap(step -> Stream.concat(Stream.of(step.request(), step.reply()), step.events()))
                .map(RawBson::of)
                .filter(bson -> bson.length() < MAX_BYTES)
                .toList();
        assertThat(documents).hasSizeGreaterThan(500);
        assertThat(documents).allSatisfy(bson -> {
            BsonDocument document = bson.view();
            assertThat(new String(bson.toJsonBytes(), StandardCharsets.UTF_8)).isEqualTo(document.toJson(RELAXED));
        });
    }
}
