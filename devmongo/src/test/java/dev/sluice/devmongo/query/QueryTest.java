package dev.sluice.devmongo.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.devmongo.CommandException;
import java.util.OptionalInt;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers computed by hand from MongoDB's documentation and its path rules. */
class QueryTest {
    @ParameterizedTest(name = "{0} matches {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {}                                  | {a: 1}
            {a: 1}                              | {a: 1.0}
            {a: 1}                              | {a: {$numberDecimal: '1.00'}}
            {a: 1}                              | {a: [3, 1]}
            {a: [3, 1]}                         | {a: [3, 1]}
            {a: [3, 1]}                         | {a: [[3, 1], 2]}
            {a: null}                           | {b: 1}
            {a: null}                           | {a: null}
            {a: null}                           | {a: [1, null]}
            {'a.b': null}                       | {a: 5}
            {'a.b': null}                       | {a: [{b: 1}, {c: 1}]}
            {'a.b': 1}                          | {a: [{b: 2}, {b: 1}]}
            {'a.b': 1}                          | {a: [{b: [7, 1]}]}
            {'a.0': 5}                          | {a: [5]}
            {'a.0': 5}                          | {a: {'0': 5}}
            {'a.1': [2, 4]}                     | {a: [5, [2, 4], 3]}
            {'a.1': 4}                          | {a: [5, {'1': 4}, 3]}
            {'a.0.b': 1}                        | {a: [{b: 1}]}
            {a: {$ne: 1}}                       | {b: 1}
            {a: {$ne: 1}}                       | {a: [2]}
            {a: {$gt: 1}}                       | {a: [0, 2]}
            {a: {$gt: 1, $lt: 2}}               | {a: [0, 3]}
            {a: {$gte: null}}                   | {b: 1}
            {a: {$lt: {$maxKey: 1}}}            | {a: 'x'}
            {a: {$gt: {$minKey: 1}}}            | {a: 'x'}
            {a: {$gte: {b: 1}}}                 | {a: {b: 2}}
            {a: {$in: [1, null]}}               | {b: 1}
            {a: {$in: [/^x/, 2]}}               | {a: 'xy'}
            {a: {$nin: [1]}}                    | {b: 1}
            {a: {$exists: true}}                | {a: null}
            {a: {$exists: false}}               | {b: 1}
            {'a.b': {$exists: false}}           | {a: []}
            {a: {$type: 'number'}}              | {a: {$numberLong: '1'}}
            {a: {$type: 2}}                     | {a: 'x'}
            {a: {$type: ['bool', 'string']}}    | {a: [1, true]}
            {a: {$type: 'array'}}               | {a: []}
            {a: {$all: [1, 2]}}                 | {a: [2, 1, 3]}
            {a: {$all: [1]}}                    | {a: 1}
            {a: {$all: [{$elemMatch: {b: 1}}]}} | {a: [{b: 1}]}
            {a: {$elemMatch: {$gt: 1, $lt: 3}}} | {a: [0, 2]}
            {a: {$elemMatch: {b: 1, c: 2}}}     | {a: [{b: 1}, {b: 1, c: 2}]}
            {a: {$elemMatch: {$or: [{b: 1}]}}}  | {a: [{b: 1}]}
            {a: {$elemMatch: {'0': 1}}}         | {a: [[1]]}
            {a: {$size: 2}}                     | {a: [1, [2]]}
            {a: {$mod: [4, 1]}}                 | {a: 5.9}
            {a: {$regex: '^X', $options: 'i'}}  | {a: 'xy'}
            {a: /y$/}                           | {a: ['b', 'xy']}
            {a: {$not: {$gt: 1}}}               | {a: 'x'}
            {a: {$not: /x/}}                    | {a: 1}
            {$and: [{a: 1}, {b: 1}]}            | {a: 1, b: 1}
            {$or: [{a: 2}, {b: 1}]}             | {a: 1, b: 1}
            {$nor: [{a: 2}, {b: 2}]}            | {a: 1, b: 1}
            {$expr: {$gt: ['$a', '$b']}}        | {a: 2, b: 1}
            {$comment: 'why', a: 1}             | {a: 1}
            {a: {$bitsAllSet: [0, 2]}}          | {a: 5}
            {a: {$bitsAnyClear: 5}}             | {a: 4}
            {a: {$eq: NaN}}                     | {a: NaN}
            {a: {b: 1, c: 2}}                   | {a: {b: 1, c: 2}}
            """)
    void matches(String filter, String document) {
        assertThat(Query.compile(BsonDocument.parse(filter)).matches(BsonDocument.parse(document)))
                .isTrue();
        assertThat(Query.compile(RawBsonDocument.parse(filter)).matches(RawBsonDocument.parse(document)))
                .isTrue();
    }

    @ParameterizedTest(name = "{0} does not match {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {a: 1}                              | {a: '1'}
            {a: 1}                              | {a: [[1]]}
            {a: 1}                              | {a: true}
            {a: {b: 1, c: 2}}                   | {a: {c: 2, b: 1}}
            {'a.b': null}                       | {a: [1, 2]}
            {'a.b': null}                       | {a: []}
            {'a.1': 2}                          | {a: [5, [2, 4], 3]}
            {'a.00': 5}                         | {a: [5]}
            {a: {$ne: 1}}                       | {a: [1, 2]}
            {a: {$ne: null}}                    | {b: 1}
            {a: {$gt: 1}}                       | {a: '2'}
            {a: {$gt: 1}}                       | {a: NaN}
            {a: {$lt: 1}}                       | {a: null}
            {a: {$lt: NaN}}                     | {a: 1}
            {a: {$gt: null}}                    | {a: null}
            {a: {$in: []}}                      | {a: 1}
            {a: {$nin: [1]}}                    | {a: [1, 2]}
            {a: {$exists: true}}                | {b: 1}
            {a: {$type: 'int'}}                 | {a: 1.0}
            {a: {$all: []}}                     | {a: []}
            {a: {$all: [1, 2]}}                 | {a: [1]}
            {a: {$elemMatch: {$gt: 1}}}         | {a: 2}
            {a: {$elemMatch: {b: 1, c: 2}}}     | {a: [{b: 1}, {c: 2}]}
            {a: {$size: 1}}                     | {a: 'x'}
            {a: {$mod: [4, 1]}}                 | {a: 'x'}
            {a: /x/}                            | {a: 1}
            {a: {$eq: /x/}}                     | {a: 'x'}
            {a: {$not: {$gt: 1}}}               | {a: [0, 2]}
            {a: {$not: {$exists: true}}}        | {a: 1}
            {$nor: [{a: 1}]}                    | {a: 1}
            {$expr: '$a'}                       | {a: 0}
            """)
    void doesNotMatch(String filter, String document) {
        assertThat(Query.compile(BsonDocument.parse(filter)).matches(BsonDocument.parse(document)))
                .isFalse();
    }

    @ParameterizedTest(name = "{0} is refused")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {a: {$foo: 1}}              | 2     | unknown operator: $foo
            {$foo: 1}                   | 2     | unknown top level operator: $foo
            {a: {$gt: 1, b: 2}}         | 2     | unknown operator: b
            {$and: []}                  | 2     | $and/$or/$nor must be a nonempty array
            {$or: 1}                    | 2     | $or must be an array
            {a: {$in: 1}}               | 2     | $in needs an array
            {a: {$in: [{$gt: 1}]}}      | 2     | cannot nest $ under $in
            {a: {$options: 'i'}}        | 2     | $options needs a $regex
            {a: {$not: 1}}              | 2     | $not needs a regex or a document
            {a: {$size: -1}}            | 2     | $size may not be negative
            {a: {$type: 'foo'}}         | 2     | Unknown type name alias: foo
            {a: {$elemMatch: 1}}        | 2     | $elemMatch needs an Object
            {a: {$all: 1}}              | 2     | $all needs an array
            {a: {$mod: [0, 1]}}         | 2     | divisor cannot be 0
            {a: {$mod: [1]}}            | 2     | malformed mod, not enough elements
            {$expr: {$foo: 1}}          | 168   | Unrecognized expression '$foo'
            """)
    void refusesWhatItDoesNotKnow(String filter, int code, String message) {
        assertThatThrownBy(() -> Query.compile(BsonDocument.parse(filter)))
                .isInstanceOfSatisfying(CommandException.class, e -> {
                    assertThat(e.code()).isEqualTo(code);
                    assertThat(e.message()).isEqualTo(message);
                });
    }

    @Test
    void tellsThroughWhichElementItMatched() {
        BsonDocument document = BsonDocument.parse("{a: [{b: 1}, {b: [5, 6]}], c: 1, d: [7, 8]}");
        assertThat(position("{'a.b': 6}", document)).hasValue(1);
        assertThat(position("{d: 8}", document)).hasValue(1);
        assertThat(position("{d: {$elemMatch: {$gt: 7}}}", document)).hasValue(1);
        assertThat(position("{a: {$elemMatch: {b: 1}}, c: 1}", document)).hasValue(0);
        assertThat(position("{c: 1}", document)).isEmpty();
        assertThat(position("{d: 9}", document)).isEmpty();
    }

    private static OptionalInt position(String filter, BsonDocument document) {
        return Query.compile(BsonDocument.parse(filter)).matchedPosition(document);
    }
}
