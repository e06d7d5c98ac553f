package dev.sluice.devmongo.update;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.devmongo.Recording;
import dev.sluice.devmongo.query.Query;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Plays the writes of the recordings on a list of documents and compares what our updates say they did with the
 * change events that MongoDB sent, byte for byte in the JSON of both.
 */
class RecordedUpdatesTest {
    private final List<BsonDocument> documents = new ArrayList<>();
    /** What the change stream with updateLookup has to show next. */
    private final List<BsonDocument> expectedEvents = new ArrayList<>();

    private int eventsCompared;

    @ParameterizedTest
    @CsvSource({"04_update, 21", "05_update_lookup_races, 7", "06_replace, 2", "08_upsert, 3"})
    void changeEventsAreTheOnesMongoDbSent(String scenario, int events) {
        boolean lookup = !scenario.startsWith("05");
        BsonValue cursor = null;
        for (Recording.Step exchange : Recording.load(scenario).steps()) {
            play(exchange);
            if (exchange.request().containsKey("aggregate")) {
                cursor =
                        exchange.reply().getDocument("cursor").get("id"); // the last one opened is the updateLookup one
                expectedEvents.clear(); // what was written before the stream has no event
            } else if (exchange.request().containsKey("getMore")
                    && exchange.request().get("getMore").equals(cursor)) {
                compare(exchange, lookup);
            }
        }
        assertThat(eventsCompared).isEqualTo(events);
    }

    private void play(Recording.Step exchange) {
        BsonDocument request = exchange.request();
        for (BsonValue inserted : request.getArray("documents", new BsonArray())) {
            documents.add(inserted.asDocument());
            expectedEvents.add(new BsonDocument("fullDocument", inserted));
        }
        for (BsonValue update : request.getArray("updates", new BsonArray())) {
            BsonDocument statement = update.asDocument();
            boolean upsert = statement.getBoolean("upsert", BsonBoolean.FALSE).getValue();
            update(statement.getDocument("q"), statement.get("u"), upsert);
        }
        if (request.containsKey("findAndModify")) {
            update(request.getDocument("query"), request.get("update"), false);
        }
        for (BsonValue delete : request.getArray("deletes", new BsonArray())) {
            Query query = Query.compile(delete.asDocument().getDocument("q"));
            documents.removeIf(query::matches);
            expectedEvents.add(new BsonDocument());
        }
    }

    private void update(BsonDocument filter, BsonValue change, boolean upsert) {
        Query query = Query.compile(filter);
        Update update = Update.compile(change, List.of(), false);
        if (upsert && documents.stream().noneMatch(query::matches)) {
            BsonDocument inserted = update.upsert(filter);
            documents.add(inserted);
            expectedEvents.add(new BsonDocument("fullDocument", inserted));
            return;
        }
        for (int i = 0; i < documents.size(); i++) {
            if (query.matches(documents.get(i))) {
                apply(update, query, i);
            }
        }
    }

    private void apply(Update update, Query query, int at) {
        switch (update.apply(documents.get(at), query)) {
            case Update.Result.Unchanged nothing -> {}
            case Update.Result.Modified modified -> {
                documents.set(at, modified.after());
                BsonDocument description = new BsonDocument("updatedFields", modified.updatedFields());
                description.append("removedFields", modified.removedFields());
                expectedEvents.add(
                        new BsonDocument("fullDocument", modified.after()).append("updateDescription", description));
            }
            case Update.Result.Replaced replaced -> {
                documents.set(at, replaced.after());
                expectedEvents.add(new BsonDocument("fullDocument", replaced.after()));
            }
        }
    }

    private void compare(Recording.Step exchange, boolean lookup) {
        List<BsonDocument> events = exchange.events().toList();
        assertThat(expectedEvents).as(exchange.label()).hasSameSizeAs(events);
        for (int i = 0; i < events.size(); i++) {
            BsonDocument seen = new BsonDocument();
            for (String field : lookup ? List.of("fullDocument", "updateDescription") : List.of("updateDescription")) {
                if (events.get(i).containsKey(field)) {
                    seen.append(field, events.get(i).get(field));
                }
            }
            BsonDocument ours = expectedEvents.get(i).clone();
            if (!lookup) {
                ours.remove("fullDocument");
            }
            assertThat(withoutMadeIds(ours)).as(exchange.label()).isEqualTo(withoutMadeIds(seen));
            eventsCompared++;
        }
        expectedEvents.clear();
    }

    /** An _id that the server made differs by nature. */
    private static String withoutMadeIds(BsonDocument event) {
        BsonDocument masked = event.clone();
        BsonDocument document = masked.getDocument("fullDocument", new BsonDocument());
        if (document.get("_id") instanceof BsonObjectId) {
            document.put("_id", new BsonObjectId(new ObjectId(new byte[12])));
        }
        return masked.toJson();
    }
}
