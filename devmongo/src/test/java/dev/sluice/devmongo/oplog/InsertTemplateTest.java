package dev.sluice.devmongo.oplog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.stream.IntStream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonTimestamp;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InsertTemplateTest {
    private static final int DOCUMENT_BYTES = 100;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPreloadedEventIsByteForByteAnOrdinaryOne(boolean wallTime) {
        EventEncoder encoder = new EventEncoder(wallTime, true);
        InsertTemplate template = new InsertTemplate(encoder, "app", "load", DOCUMENT_BYTES);
        UUID uuid = template.event(0, new BsonTimestamp(1, 1), 0).mutation().uuid();
        BsonBinary padding = new BsonBinary(new byte[DOCUMENT_BYTES - 30]);
        numbers().forEach(number -> {
            BsonTimestamp time = new BsonTimestamp(1_800_000_000 + number % 1_000, number % 70_000);
            long wallMillis = 1_800_000_000_123L + number;
            BsonDocument document = new BsonDocument("_id", new BsonInt32(number)).append("pad", padding);
            Change ordinary = encoder.encode(Mutation.insert("app", "load", uuid, document), time, wallMillis, 0, null);
            Change preloaded = template.event(number, time, wallMillis);
            assertThat(preloaded.event()).as("event %d", number).isEqualTo(ordinary.event());
            assertThat(preloaded.token()).isEqualTo(ordinary.token());
            assertThat(preloaded.fullDocumentAt()).isEqualTo(ordinary.fullDocumentAt());
            assertThat(preloaded.mutation().kind()).isEqualTo(Mutation.Kind.INSERT);
        });
    }

    /** Around every number at which the key in the token gets wider, and back to a narrow one. */
    private static IntStream numbers() {
        return IntStream.concat(
                IntStream.range(0, 300),
                IntStream.of(32_766, 32_767, 32_768, 8_388_607, 8_388_608, Integer.MAX_VALUE, 5));
    }
}
