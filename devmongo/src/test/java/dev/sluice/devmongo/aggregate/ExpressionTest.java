package dev.sluice.devmongo.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.devmongo.CommandException;
import java.time.Instant;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressionTest {
    private static final BsonDocument DOCUMENT = BsonDocument.parse("""
            {n: 3, d: 2.5, s: 'Hello', nul: null, arr: [1, 2, 3], docs: [{k: 1}, {k: 2}, {x: 1}], sub: {a: {b: 7}},
             when: {$date: '2026-01-01T00:00:00Z'}, id: {$oid: '0102030405060708090a0b0c'}}""");

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            '$sub.a.b'                                                  | 7
            '$docs.k'                                                   | [1, 2]
            '$$ROOT.n'                                                  | 3
            '$$NOW'                                                     | {$date: '2026-01-02T12:00:00Z'}
            {$type: '$$REMOVE'}                                         | 'missing'
            {x: '$n', y: '$none', z: ['$none']}                         | {x: 3, z: [null]}
            {$literal: '$n'}                                            | '$n'
            {$eq: ['$n', 3.0]}                                          | true
            {$gt: ['$s', '$n']}                                         | true
            {$eq: ['$none', null]}                                      | false
            {$cmp: [1, 2]}                                              | -1
            {$and: ['$n', {$lt: ['$n', 3]}]}                            | false
            {$or: ['$none', '$n']}                                      | true
            {$not: ['$none']}                                           | true
            {$cond: [{$gt: ['$n', 2]}, 'big', 'small']}                 | 'big'
            {$cond: {if: false, then: 1, else: 2}}                      | 2
            {$ifNull: ['$none', '$nul', 5]}                             | 5
            {$switch: {branches: [{case: {$eq: ['$n', 3]}, then: 'three'}], default: 'other'}} | 'three'
            {$add: ['$n', '$d', 1]}                                     | 6.5
            {$add: ['$when', 1000]}                                     | {$date: '2026-01-01T00:00:01Z'}
            {$add: [2147483647, 1]}                                     | {$numberLong: '2147483648'}
            {$add: ['$n', null]}                                        | null
            {$subtract: [1, '$n']}                                      | -2
            {$multiply: ['$n', {$numberDecimal: '1.5'}]}                | {$numberDecimal: '4.5'}
            {$divide: ['$n', 2]}                                        | 1.5
            {$mod: [7, '$n']}                                           | 1
            {$abs: -2}                                                  | 2
            {$floor: -1.5}                                              | -2.0
            {$round: [1.256, 2]}                                        | 1.26
            {$concat: ['$s', '!']}                                      | 'Hello!'
            {$concat: ['$s', '$none']}                                  | null
            {$toUpper: '$s'}                                            | 'HELLO'
            {$toLower: '$none'}                                         | ''
            {$substrCP: ['$s', 1, 3]}                                   | 'ell'
            {$strLenCP: '\ud83d\ude00x'}                                | 2
            {$indexOfCP: ['$s', 'l']}                                   | 2
            {$indexOfCP: ['$s', 'z']}                                   | -1
            {$split: ['a,b', ',']}                                      | ['a', 'b']
            {$trim: {input: ' x '}}                                     | 'x'
            {$regexMatch: {input: '$s', regex: /^h/i}}                  | true
            {$size: '$arr'}                                             | 3
            {$arrayElemAt: ['$arr', -1]}                                | 3
            {$type: {$arrayElemAt: ['$arr', 9]}}                        | 'missing'
            {$in: [2, '$arr']}                                          | true
            {$concatArrays: ['$arr', [4]]}                              | [1, 2, 3, 4]
            {$slice: ['$arr', -2]}                                      | [2, 3]
            {$map: {input: '$arr', as: 'x', in: {$add: ['$$x', '$n']}}} | [4, 5, 6]
            {$filter: {input: '$arr', cond: {$gte: ['$$this', 2]}}}     | [2, 3]
            {$reduce: {input: '$arr', initialValue: 0, in: {$add: ['$$value', '$$this']}}} | 6
            {$sum: '$arr'}                                              | 6
            {$max: ['$n', 9]}                                           | 9
            {$mergeObjects: ['$sub', {c: 1}, null]}                     | {a: {b: 7}, c: 1}
            {$objectToArray: {a: 1}}                                    | [{k: 'a', v: 1}]
            {$arrayToObject: [[['a', 1], ['b', 2]]]}                    | {a: 1, b: 2}
            {$getField: 'n'}                                            | 3
            {$getField: {field: 'a', input: '$sub'}}                    | {b: 7}
            {$let: {vars: {x: 2}, in: {$multiply: ['$$x', '$n']}}}      | 6
            {$type: '$d'}                                               | 'double'
            {$toString: '$id'}                                          | '0102030405060708090a0b0c'
            {$toString: '$when'}                                        | '2026-01-01T00:00:00.000Z'
            {$toInt: '42'}                                              | 42
            {$toDouble: '$n'}                                           | 3.0
            """)
    void evaluates(String expression, String expected) {
        Expression compiled = Expression.compile(parse(expression));
        Scope scope = Scope.of(DOCUMENT, Instant.parse("2026-01-02T12:00:00Z"));
        assertThat(compiled.evaluate(scope)).isEqualTo(parse(expected));
    }

    @ParameterizedTest(name = "{0} is refused")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {$foo: 1}                   | 168   | Unrecognized expression '$foo'
            {$eq: [1]}                  | 16020 | Expression $eq takes exactly 2 arguments. 1 were passed in.
            {$add: 1, $subtract: 2}     | 15983 | an object representing an expression must have exactly one field
            {$divide: [1, 0]}           | 2     | can't $divide by zero
            {$add: ['$s', 1]}           | 14    | $add only supports numeric types, not string
            {$size: '$n'}               | 17124 | The argument to $size must be an array, but was of type: int
            {$toInt: 'x'}               | 241   | Unsupported conversion from string in $toInt
            '$$nobody'                  | 17276 | Use of undefined variable: nobody
            """)
    void refusesWithMongoDbsCodes(String expression, int code, String message) {
        assertThatThrownBy(() -> Expression.compile(parse(expression)).evaluate(Scope.of(DOCUMENT)))
                .isInstanceOfSatisfying(CommandException.class, e -> {
                    assertThat(e.code()).isEqualTo(code);
                    assertThat(e.message()).startsWith(message);
                });
    }

    private static BsonValue parse(String json) {
        return BsonDocument.parse("{v: " + json + "}").get("v");
    }
}
