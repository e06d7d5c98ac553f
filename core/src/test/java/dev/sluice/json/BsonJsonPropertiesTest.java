package dev.sluice.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonSerializationException;
import org.bson.BsonString;

/** Whatever a document holds, {@link BsonJson} writes what the driver writes, and rejects what the driver rejects. */
class BsonJsonPropertiesTest {
    @Property(tries = 2_000)
    void anyDocumentIsWrittenAsTheDriverWritesIt(@ForAll long seed) {
        RandomBson random = new RandomBson(seed);
        byte[] bson = DriverJson.bson(random.document());
        int before = random.upTo(9);
        byte[] within = new byte[before + bson.length + random.upTo(9)];
        System.arraycopy(bson, 0, within, before, bson.length);
        assertThat(new String(BsonJson.relaxed(within, before, bson.length), UTF_8))
                .isEqualTo(new String(DriverJson.of(within, before, bson.length), UTF_8));
    }

    @Property(tries = 3_000)
    void anyNumberAndDateIsWrittenAsTheDriverWritesIt(@ForAll long seed) {
        RandomBson random = new RandomBson(seed);
        assertSame(DriverJson.bson(
                new BsonDocument("n", new BsonDouble(random.number())).append("d", new BsonDateTime(random.date()))));
    }

    @Property(tries = 3_000)
    void anyBytesInAStringAreWrittenAsTheDriverWritesThem(@ForAll long seed) {
        byte[] text = new RandomBson(seed).almostUtf8();
        byte[] bson = DriverJson.bson(new BsonDocument("v", new BsonString("x".repeat(text.length))));
        System.arraycopy(text, 0, bson, bson.length - 2 - text.length, text.length);
        assertSame(bson);
    }

    @Property(tries = 3_000)
    void damagedDocumentsAreWrittenOrRejectedAsByTheDriver(@ForAll long seed) {
        RandomBson random = new RandomBson(seed);
        byte[] bson = DriverJson.bson(random.document());
        random.damage(bson);
        assertSame(bson);
        random.damage(bson);
        assertSame(bson);
        int left = 5 + random.upTo(bson.length - 4);
        assertThat(ours(bson, left)).isEqualTo(drivers(bson, left));
    }

    private static void assertSame(byte[] bson) {
        assertThat(ours(bson, bson.length)).isEqualTo(drivers(bson, bson.length));
    }

    private static Optional<String> ours(byte[] bson, int length) {
        try {
            return Optional.of(new String(BsonJson.relaxed(bson, 0, length), UTF_8));
        } catch (BsonSerializationException rejected) {
            assertThat(rejected.getMessage()).isNotBlank();
            return Optional.empty();
        }
    }

    private static Optional<String> drivers(byte[] bson, int length) {
        try {
            return Optional.of(new String(DriverJson.of(bson, 0, length), UTF_8));
        } catch (RuntimeException rejected) {
            return Optional.empty();
        }
    }
}
