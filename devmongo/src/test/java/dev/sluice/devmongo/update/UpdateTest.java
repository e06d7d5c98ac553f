package dev.sluice.devmongo.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.devmongo.CommandException;
import dev.sluice.devmongo.query.Query;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Results computed by hand from MongoDB's documentation; what was recorded is in {@link RecordedUpdatesTest}. */
class UpdateTest {
    private static final InstantSource NOON = InstantSource.fixed(Instant.parse("2026-01-02T12:00:00Z"));

    @ParameterizedTest(name = "{1} on {0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {a: 1}              | {$set: {z: 1, b: 2}}                              | {a: 1, b: 2, z: 1}     | {b: 2, z: 1}        | []
            {a: 1}              | {$set: {a: 1.0}}                                  | {a: 1.0}               | {a: 1.0}            | []
            {a: {x: 1, y: 2}}   | {$set: {a: {y: 2, x: 1}}}                         | {a: {y: 2, x: 1}}      | {a: {y: 2, x: 1}}   | []
            {}                  | {$set: {'n.a': 1, 'n.b': 2}}                      | {n: {a: 1, b: 2}}      | {'n.a': 1, 'n.b': 2} | []
            {a: [1]}            | {$set: {'a.3': 4}}                                | {a: [1, null, null, 4]} | {'a.3': 4}         | []
            {a: [1, 2]}         | {$unset: {'a.0': 1}}                              | {a: [null, 2]}         | {}                  | ['a.0']
            {a: 1}              | {$inc: {a: 2, b: 3}}                              | {a: 3, b: 3}           | {a: 3, b: 3}        | []
            {a: 2147483647}     | {$inc: {a: 1}}                                    | {a: {$numberLong: '2147483648'}} | {a: {$numberLong: '2147483648'}} | []
            {a: 1}              | {$inc: {a: {$numberDecimal: '0.1'}}}              | {a: {$numberDecimal: '1.1'}} | {a: {$numberDecimal: '1.1'}} | []
            {a: 3}              | {$mul: {a: 2, b: 5.0}}                            | {a: 6, b: 0.0}         | {a: 6, b: 0.0}      | []
            {a: 3, b: 3}        | {$min: {a: 2, b: 4, c: 1}}                        | {a: 2, b: 3, c: 1}     | {a: 2, c: 1}        | []
            {a: 3, b: 3}        | {$max: {a: 2, b: 4}}                              | {a: 3, b: 4}           | {b: 4}              | []
            {a: 5}              | {$bit: {a: {and: 4}, b: {or: 3}}}                 | {a: 4, b: 3}           | {a: 4, b: 3}        | []
            {a: {b: 1}}         | {$rename: {'a.b': 'c.d'}}                         | {a: {}, c: {d: 1}}     | {'c.d': 1}          | ['a.b']
            {a: 1}              | {$currentDate: {t: true}}                         | {a: 1, t: {$date: '2026-01-02T12:00:00Z'}} | {t: {$date: '2026-01-02T12:00:00Z'}} | []
            {a: 1}              | {$currentDate: {a: {$type: 'timestamp'}}}         | {a: {$timestamp: {t: 1767355200, i: 1}}} | {a: {$timestamp: {t: 1767355200, i: 1}}} | []
            {}                  | {$push: {a: 1}}                                   | {a: [1]}               | {a: [1]}            | []
            {a: [3]}            | {$push: {a: {$each: [1, 2], $position: 0}}}       | {a: [1, 2, 3]}         | {a: [1, 2, 3]}      | []
            {a: [3]}            | {$push: {a: {$each: [1, 2], $position: 5}}}       | {a: [3, 1, 2]}         | {'a.1': 1, 'a.2': 2} | []
            {a: [1, 3]}         | {$push: {a: {$each: [2], $position: -1}}}         | {a: [1, 2, 3]}         | {a: [1, 2, 3]}      | []
            {a: [3]}            | {$push: {a: {$each: [1], $sort: 1, $slice: -1}}}  | {a: [3]}               |                     |
            {a: [3]}            | {$push: {a: {$each: [1, 2], $slice: 2}}}          | {a: [3, 1]}            | {a: [3, 1]}         | []
            {a: [{n: 2}]}       | {$push: {a: {$each: [{n: 1}], $sort: {n: 1}}}}    | {a: [{n: 1}, {n: 2}]}  | {a: [{n: 1}, {n: 2}]} | []
            {a: [1]}            | {$addToSet: {a: {$each: [1.0, 2, 2]}}}            | {a: [1, 2]}            | {a: [1, 2]}         | []
            {a: [1]}            | {$addToSet: {a: 1}}                               | {a: [1]}               |                     |
            {a: [1, 2, 3]}      | {$pop: {a: -1}}                                   | {a: [2, 3]}            | {a: [2, 3]}         | []
            {a: []}             | {$pop: {a: 1, b: 1}}                              | {a: []}                |                     |
            {a: [1, 5, 9]}      | {$pull: {a: {$gte: 5}}}                           | {a: [1]}               | {a: [1]}            | []
            {a: [{b: 1}, {b: 2}]} | {$pull: {a: {b: 2}}}                            | {a: [{b: 1}]}          | {a: [{b: 1}]}       | []
            {a: ['x', 'y']}     | {$pull: {a: /x/}}                                 | {a: ['y']}             | {a: ['y']}          | []
            {a: [1, 2, 1]}      | {$pullAll: {a: [1]}}                              | {a: [2]}               | {a: [2]}            | []
            {a: [1, 2]}         | {$inc: {'a.$[]': 1}}                              | {a: [2, 3]}            | {a: [2, 3]}         | []
            {a: [{q: 1, r: 2}]} | {$inc: {'a.$[].q': 1}}                            | {a: [{q: 2, r: 2}]}    | {'a.0': {q: 2, r: 2}} | []
            {a: 1}              | {$setOnInsert: {a: 5}}                            | {a: 1}                 |                     |
            {a: 1}              | {$unset: {b: 1, 'a.b': 1}}                        | {a: 1}                 |                     |
            {a: 1}              | {$pull: {b: 1}}                                   | {a: 1}                 |                     |
            """)
    void modifiersSayWhatTheyChanged(
            String before, String update, String after, String updatedFields, String removedFields) {
        BsonDocument document = withId(before);
        String unchanged = document.toJson();
        Update.Result result = compile(update).apply(document);
        assertThat(document.toJson()).isEqualTo(unchanged);
        assertThat(compile(update).apply(RawBsonDocument.parse(unchanged))).isEqualTo(result);
        if (updatedFields == null) {
            assertThat(result).isEqualTo(new Update.Result.Unchanged());
            return;
        }
        assertThat(result).isInstanceOfSatisfying(Update.Result.Modified.class, modified -> {
            assertThat(modified.after().toJson()).isEqualTo(withId(after).toJson());
            assertThat(modified.updatedFields().toJson())
                    .isEqualTo(BsonDocument.parse(updatedFields).toJson());
            assertThat(modified.removedFields()).isEqualTo(BsonArray.parse(removedFields));
        });
    }

    @Test
    void aPositionalOperatorStandsForTheElementThatMatched() {
        BsonDocument before = BsonDocument.parse("{_id: 1, a: [{k: 1}, {k: 2}]}");
        Query query = Query.compile(BsonDocument.parse("{'a.k': 2}"));
        assertThat(compile("{$set: {'a.$.v': 9}}").apply(before, query))
                .isEqualTo(modified("{_id: 1, a: [{k: 1}, {k: 2, v: 9}]}", "{'a.1.v': 9}"));
    }

    @Test
    void arrayFiltersChooseTheElements() {
        Update update = Update.compile(
                BsonDocument.parse("{$set: {'a.$[big].v': 0}}"),
                List.of(BsonDocument.parse("{'big.k': {$gte: 2}}")),
                true);
        assertThat(update.apply(BsonDocument.parse("{_id: 1, a: [{k: 1}, {k: 2}, {k: 3}]}")))
                .isEqualTo(modified(
                        "{_id: 1, a: [{k: 1}, {k: 2, v: 0}, {k: 3, v: 0}]}",
                        "{a: [{k: 1}, {k: 2, v: 0}, {k: 3, v: 0}]}"));
        assertThat(update.apply(BsonDocument.parse("{_id: 1, a: [{k: 1}, {k: 2}]}")))
                .isEqualTo(modified("{_id: 1, a: [{k: 1}, {k: 2, v: 0}]}", "{'a.1': {k: 2, v: 0}}"));
    }

    @Test
    void aReplacementKeepsTheIdAndPutsItFirst() {
        BsonDocument before = BsonDocument.parse("{_id: 1, a: 1}");
        assertThat(compile("{b: 2, _id: 1}").apply(before))
                .isInstanceOfSatisfying(
                        Update.Result.Replaced.class,
                        replaced -> assertThat(replaced.after().toJson())
                                .isEqualTo(BsonDocument.parse("{_id: 1, b: 2}").toJson()));
        assertThat(compile("{a: 1}").apply(before)).isEqualTo(new Update.Result.Unchanged());
    }

    @Test
    void aPipelineUpdateIsAReplacement() {
        BsonValue stages = BsonArray.parse("[{$set: {b: {$add: ['$a', 1]}, t: '$$NOW'}}, {$unset: 'a'}]");
        assertThat(Update.compile(stages, List.of(), true, NOON).apply(BsonDocument.parse("{_id: 1, a: 1}")))
                .isEqualTo(new Update.Result.Replaced(
                        BsonDocument.parse("{_id: 1, b: 2, t: {$date: '2026-01-02T12:00:00Z'}}")));
    }

    @ParameterizedTest(name = "{0} where {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {$set: {a: 1}}                      | {_id: 5, k: {$eq: 2}, n: {$gt: 1}}    | {_id: 5, k: 2, a: 1}
            {$setOnInsert: {_id: 7, a: 1}}      | {'k.x': 1}                            | {_id: 7, k: {x: 1}, a: 1}
            {$inc: {n: 1}}                      | {$and: [{_id: 1}, {$or: [{b: 2}]}]}   | {_id: 1, b: 2, n: 1}
            {b: 1}                              | {_id: 5, k: 2}                        | {_id: 5, b: 1}
            {$push: {k: 2}}                     | {_id: 5, k: [1]}                      | {_id: 5, k: [1, 2]}
            """)
    void anUpsertStartsFromWhatTheQueryDemands(String update, String query, String inserted) {
        assertThat(compile(update).upsert(BsonDocument.parse(query)).toJson())
                .isEqualTo(BsonDocument.parse(inserted).toJson());
    }

    @Test
    void anUpsertMakesAnIdIfNobodyGaveOne() {
        BsonDocument made = compile("{$set: {a: 1}}").upsert(new BsonDocument());
        assertThat(made.getFirstKey()).isEqualTo("_id");
        assertThat(made.get("_id")).isInstanceOf(BsonObjectId.class);
        assertThat(compile("{$set: {a: 1}}").upsert(new BsonDocument())).isNotEqualTo(made);
    }

    @ParameterizedTest(name = "{1} on {0} is refused")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {}          | {$foo: {a: 1}}                    | 9  | Unknown modifier: $foo. Expected a valid update modifier or pipeline-style update specified as an array
            {}          | {$set: {}}                        | 9  | '$set' is empty. You must specify a field like so: {$set: {<field>: ...}}
            {}          | {$set: 1}                         | 9  | Modifiers operate on fields but we found type int instead. For example: {$mod: {<field>: ...}} not {$set: 1}
            {}          | {$set: {a: 1}, $inc: {a: 1}}      | 40 | Updating the path 'a' would create a conflict at 'a'
            {}          | {$set: {a: 1, 'a.b': 1}}          | 40 | Updating the path 'a.b' would create a conflict at 'a'
            {}          | {$set: {_id: 2}}                  | 66 | Performing an update on the path '_id' would modify the immutable field '_id'
            {}          | {$unset: {_id: 1}}                | 66 | Performing an update on the path '_id' would modify the immutable field '_id'
            {}          | {_id: 2}                          | 66 | After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2
            {a: 1}      | {$set: {'a.b': 1}}                | 28 | Cannot create field 'b' in element {a: 1}
            {a: [1]}    | {$set: {'a.b': 1}}                | 28 | Cannot create field 'b' in element {a: [1]}
            {x: {a: 1}} | {$set: {'x.a.b': 1}}              | 28 | Cannot create field 'b' in element {a: 1}
            {a: 'x'}    | {$inc: {a: 1}}                    | 14 | Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 'a' of non-numeric type string
            {}          | {$inc: {a: 'x'}}                  | 14 | Cannot increment with non-numeric argument: {a: "x"}
            {a: 1}      | {$push: {a: 1}}                   | 2  | The field 'a' must be an array but is of type int in document {_id: 1}
            {a: 1}      | {$pop: {a: 1}}                    | 14 | Path 'a' contains an element of non-array type 'int'
            {a: 1}      | {$pop: {a: 2}}                    | 9  | $pop expects 1 or -1, found: 2
            {a: 1}      | {$pull: {a: 1}}                   | 2  | Cannot apply $pull to a non-array value
            {a: [1]}    | {$set: {'a.$': 1}}                | 2  | The positional operator did not find the match needed from the query.
            {a: [1]}    | {$set: {'a.$[x]': 1}}             | 2  | No array filter found for identifier 'x' in path 'a.$[x]'
            {}          | {$set: {'a.$[]': 1}}              | 2  | The path 'a' must exist in the document in order to apply array updates.
            {}          | {$rename: {a: 'a'}}               | 2  | The source and target field for $rename must differ: a: "a"
            {}          | {$set: {'a.': 1}}                 | 56 | The update path 'a.' contains an empty field name, which is not allowed.
            {}          | {$set: {$a: 1}}                   | 52 | The dollar ($) prefixed field '$a' in '$a' is not valid for storage.
            {}          | {a: 1, $set: {b: 1}}              | 52 | The dollar ($) prefixed field '$set' in '$set' is not valid for storage.
            """)
    void refusesWhatMongoDbRefuses(String before, String update, int code, String message) {
        assertThatThrownBy(() -> compile(update).apply(withId(before)))
                .isInstanceOfSatisfying(CommandException.class, e -> {
                    assertThat(e.message()).isEqualTo(message);
                    assertThat(e.code()).isEqualTo(code);
                });
    }

    @Test
    void refusesWhatDoesNotGoTogether() {
        List<BsonDocument> filter = List.of(BsonDocument.parse("{x: 1}"));
        assertThatThrownBy(() -> Update.compile(BsonDocument.parse("{a: 1}"), List.of(), true))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("multi update is not supported");
        assertThatThrownBy(() -> Update.compile(BsonDocument.parse("{$set: {a: 1}}"), filter, false))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("was not used in the update");
        assertThatThrownBy(() -> Update.compile(BsonArray.parse("[{$match: {}}]"), List.of(), false))
                .isInstanceOf(CommandException.class)
                .hasMessage("$match is not allowed to be used within an update");
    }

    private static Update compile(String update) {
        return Update.compile(BsonDocument.parse(update), List.of(), false, NOON);
    }

    private static Update.Result modified(String after, String updatedFields) {
        return new Update.Result.Modified(
                BsonDocument.parse(after), BsonDocument.parse(updatedFields), new BsonArray());
    }

    private static BsonDocument withId(String document) {
        BsonDocument result = BsonDocument.parse("{_id: 1}");
        result.putAll(BsonDocument.parse(document));
        return result;
    }
}
