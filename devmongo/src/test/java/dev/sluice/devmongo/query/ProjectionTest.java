package dev.sluice.devmongo.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.devmongo.CommandException;
import org.bson.BsonDocument;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProjectionTest {
    @ParameterizedTest(name = "{0} of {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {}                          | {_id: 1, a: 1}                    | {_id: 1, a: 1}
            {a: 1}                      | {_id: 1, b: 1, a: 1}              | {_id: 1, a: 1}
            {a: 1, _id: 0}              | {_id: 1, b: 1, a: 1}              | {a: 1}
            {_id: 0}                    | {_id: 1, b: 1}                    | {b: 1}
            {_id: 1}                    | {_id: 1, b: 1}                    | {_id: 1}
            {a: 0}                      | {_id: 1, a: 1, b: 1}              | {_id: 1, b: 1}
            {a: true, b: 1}             | {_id: 1, b: 1, a: 1}              | {_id: 1, b: 1, a: 1}
            {'a.b': 1}                  | {_id: 1, a: {b: 1, c: 2}}         | {_id: 1, a: {b: 1}}
            {a: {b: 1}}                 | {_id: 1, a: {b: 1, c: 2}}         | {_id: 1, a: {b: 1}}
            {'a.b': 1}                  | {_id: 1, a: [{b: 1, c: 2}, 3, {}]}| {_id: 1, a: [{b: 1}, {}]}
            {'a.b': 1}                  | {_id: 1, a: 3}                    | {_id: 1}
            {'a.b': 0}                  | {_id: 1, a: [{b: 1, c: 2}, 3]}    | {_id: 1, a: [{c: 2}, 3]}
            {x: '$a.b', a: 1}           | {_id: 1, a: {b: 2}}               | {_id: 1, a: {b: 2}, x: 2}
            {'x.y': {$add: ['$a', 1]}}  | {_id: 1, a: 1}                    | {_id: 1, x: {y: 2}}
            {a: {$slice: -1}}           | {_id: 1, a: [1, 2, 3], b: 1}      | {_id: 1, a: [3], b: 1}
            {a: {$slice: [1, 1]}}       | {_id: 1, a: [1, 2, 3], b: 1}      | {_id: 1, a: [2], b: 1}
            {a: {$elemMatch: {b: 2}}}   | {_id: 1, a: [{b: 1}, {b: 2}], c: 1} | {_id: 1, a: [{b: 2}]}
            """)
    void keepsWhatIsWanted(String projection, String document, String expected) {
        BsonDocument before = BsonDocument.parse(document);
        assertThat(Projection.compile(BsonDocument.parse(projection))
                        .apply(before)
                        .toJson())
                .isEqualTo(BsonDocument.parse(expected).toJson());
        assertThat(before).isEqualTo(BsonDocument.parse(document));
    }

    @ParameterizedTest(name = "{0} is refused")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {a: 1, b: 0}        | 31254
            {a: 0, b: 1}        | 31253
            {a: 1, 'a.b': 1}    | 31249
            {a: {$foo: 1}}      | 168
            """)
    void refusesContradictions(String projection, int code) {
        assertThatThrownBy(() -> Projection.compile(BsonDocument.parse(projection)))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
