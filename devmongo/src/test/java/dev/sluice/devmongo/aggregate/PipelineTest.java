package dev.sluice.devmongo.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.devmongo.CommandException;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PipelineTest {
    private static final String INPUT = """
            [{_id: 1, g: 'a', n: 3, t: [1, 2]}, {_id: 2, g: 'b', n: 5, t: []}, {_id: 3, g: 'a', n: 4}]""";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {$match: {n: {$gt: 3}}}, {$project: {n: 1}}                 | [{_id: 2, n: 5}, {_id: 3, n: 4}]
            {$sort: {n: -1}}, {$limit: 2}, {$skip: 1}, {$project: {_id: 1}} | [{_id: 3}]
            {$match: {_id: 2}}, {$addFields: {m: {$add: ['$n', 1]}, 'x.y': 1}} | [{_id: 2, g: 'b', n: 5, t: [], m: 6, x: {y: 1}}]
            {$match: {_id: 2}}, {$set: {n: 0}}, {$unset: ['t', 'g']}    | [{_id: 2, n: 0}]
            {$count: 'c'}                                               | [{c: 3}]
            {$match: {_id: 9}}, {$count: 'c'}                           | []
            {$group: {_id: '$g', s: {$sum: '$n'}, a: {$avg: '$n'}, c: {$sum: 1}}} | [{_id: 'a', s: 7, a: 3.5, c: 2}, {_id: 'b', s: 5, a: 5.0, c: 1}]
            {$group: {_id: null, mi: {$min: '$n'}, ma: {$max: '$n'}, f: {$first: '$_id'}, l: {$last: '$_id'}, p: {$push: '$g'}, u: {$addToSet: '$g'}}} | [{_id: null, mi: 3, ma: 5, f: 1, l: 3, p: ['a', 'b', 'a'], u: ['a', 'b']}]
            {$unwind: '$t'}, {$project: {t: 1}}                         | [{_id: 1, t: 1}, {_id: 1, t: 2}]
            {$unwind: {path: '$t', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true}}, {$match: {_id: {$lt: 3}}}, {$project: {t: 1, i: 1}} | [{_id: 1, t: 1, i: {$numberLong: '0'}}, {_id: 1, t: 2, i: {$numberLong: '1'}}, {_id: 2, i: null}]
            {$match: {_id: 1}}, {$replaceRoot: {newRoot: {v: '$n'}}}    | [{v: 3}]
            {$match: {_id: 1}}, {$replaceWith: {v: '$g'}}               | [{v: 'a'}]
            {$facet: {c: [{$count: 'n'}], f: [{$limit: 1}, {$project: {_id: 1}}]}} | [{c: [{n: 3}], f: [{_id: 1}]}]
            {$redact: {$cond: [{$eq: ['$g', 'b']}, '$$KEEP', '$$PRUNE']}} | [{_id: 2, g: 'b', n: 5, t: []}]
            """)
    void runsItsStagesInOrder(String stages, String expected) {
        List<BsonDocument> input = documents(INPUT);
        List<BsonDocument> result = Pipeline.compile(documents("[" + stages + "]"))
                .run(input.stream())
                .toList();
        assertThat(new BsonArray(result)).isEqualTo(BsonArray.parse(expected));
        assertThat(input).isEqualTo(documents(INPUT));
    }

    @Test
    void samplesAsManyAsThereAre() {
        Pipeline pipeline = Pipeline.compile(documents("[{$sample: {size: 2}}]"));
        assertThat(pipeline.run(documents(INPUT).stream())).hasSize(2).isSubsetOf(documents(INPUT));
    }

    @Test
    void namesItsStages() {
        assertThat(Pipeline.compile(documents("[{$match: {}}, {$limit: 1}]")).stageNames())
                .containsExactly("$match", "$limit");
    }

    @ParameterizedTest(name = "{0} is refused")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {$foo: 1}                   | 40324 | Unrecognized pipeline stage name: '$foo'
            {$match: {}, $limit: 1}     | 40323 | A pipeline stage specification object must contain exactly one field.
            {$limit: 0}                 | 15958 | the limit must be positive
            {$group: {n: {$sum: 1}}}    | 15955 | a group specification must include an _id
            {$group: {_id: 1, n: {$foo: 1}}} | 15952 | unknown group operator '$foo'
            {$match: {a: {$foo: 1}}}    | 2     | unknown operator: $foo
            """)
    void refusesWithMongoDbsCodes(String stage, int code, String message) {
        assertThatThrownBy(() -> Pipeline.compile(documents("[" + stage + "]")))
                .isInstanceOfSatisfying(CommandException.class, e -> {
                    assertThat(e.code()).isEqualTo(code);
                    assertThat(e.message()).isEqualTo(message);
                });
    }

    private static List<BsonDocument> documents(String json) {
        return BsonArray.parse(json).stream().map(BsonValue::asDocument).toList();
    }
}
