package dev.sluice.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Projections;
import dev.sluice.devmongo.DevMongo;
import dev.sluice.match.Filter;
import dev.sluice.model.RawBson;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A filter on raw bytes finds what {@code find} finds through the official driver: on devmongo, or on the real server
 * that MONGODB_URI names.
 */
class FilterAgreesWithFindTest {
    private static final int DOCUMENTS = 400;
    private static final int FILTERS = 1500;

    private final @Nullable String real = System.getenv("MONGODB_URI");
    private @Nullable DevMongo devMongo;
    private MongoClient client;

    @BeforeEach
    void connect() {
        if (real == null || real.isBlank()) {
            devMongo = DevMongo.builder().start();
            client = MongoClients.create(devMongo.connectionString());
        } else {
            client = MongoClients.create(real);
        }
    }

    @AfterEach
    void close() {
        client.getDatabase("sluice_filters").drop();
        client.close();
        if (devMongo != null) {
            devMongo.close();
        }
    }

    @Test
    void rawEvaluationFindsWhatFindFinds() {
        long seed = Long.getLong("sluice.seed", 5);
        SampleQueries queries = new SampleQueries(seed);
        MongoCollection<BsonDocument> collection =
                client.getDatabase("sluice_filters").getCollection("samples", BsonDocument.class);
        List<BsonDocument> documents = documents(queries);
        collection.insertMany(documents);
        List<RawBson> raw = documents.stream().map(RawBson::of).toList();
        int found = 0;
        for (int k = 0; k < FILTERS; k++) {
            String json = withoutRepeatedNames(queries.filter());
            TreeSet<Integer> theirs = find(collection, json);
            assertThat(matching(raw, json)).as("seed %d: %s", seed, json).isEqualTo(theirs);
            found += theirs.size();
        }
        assertThat(found).as("matches in all").isGreaterThan(DOCUMENTS);
    }

    /** The driver keeps the last of two fields of one name, a filter heeds both. */
    private static String withoutRepeatedNames(String json) {
        return BsonDocument.parse(json)
                .toJson(JsonWriterSettings.builder()
                        .outputMode(JsonMode.EXTENDED)
                        .build());
    }

    private static List<BsonDocument> documents(SampleQueries queries) {
        List<BsonDocument> documents = new ArrayList<>();
        for (int k = 0; k < DOCUMENTS; k++) {
            BsonDocument document = new BsonDocument("_id", new BsonInt32(k));
            document.putAll(BsonDocument.parse(queries.document()));
            documents.add(document);
        }
        return documents;
    }

    private static TreeSet<Integer> find(MongoCollection<BsonDocument> collection, String json) {
        TreeSet<Integer> ids = new TreeSet<>();
        collection
                .find(BsonDocument.parse(json))
                .projection(Projections.include("_id"))
                .forEach(found -> ids.add(found.getInt32("_id").getValue()));
        return ids;
    }

    private static TreeSet<Integer> matching(List<RawBson> documents, String json) {
        Filter filter = Filter.parse(json);
        assertThat(Filter.parse(RawBson.of(BsonDocument.parse(json)))).isEqualTo(filter);
        TreeSet<Integer> ids = new TreeSet<>();
        for (int k = 0; k < documents.size(); k++) {
            if (filter.matches(documents.get(k))) {
                ids.add(k);
            }
        }
        return ids;
    }
}
