package dev.sluice.devmongo.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;

class BsonOrderTest {
    private static final String ASCENDING = """
            [{$minKey: 1}, {$undefined: true}, null,
             NaN, {$numberDouble: '-Infinity'}, {$numberDecimal: '-1E+400'}, -1.5, 0, {$numberDecimal: '1E-300'}, 1,
             {$numberLong: '9007199254740992'}, {$numberLong: '9007199254740993'}, 9007199254740994.0,
             {$numberLong: '9223372036854775807'}, 9223372036854775808.0, {$numberDecimal: '1E+400'},
             {$numberDouble: 'Infinity'},
             '', 'a', 'a\\u0000', 'aa', 'b', '\\uff5e', '\\ud83d\\ude00',
             {}, {a: 1}, {a: 1, b: 1}, {a: 2}, {b: 1}, {a: 'x'},
             [], [1], [1, 2], [2], ['a'],
             {$binary: {base64: '', subType: '00'}}, {$binary: {base64: 'AA==', subType: '00'}},
             {$binary: {base64: 'gA==', subType: '00'}}, {$binary: {base64: 'AA==', subType: '05'}},
             {$binary: {base64: 'AAA=', subType: '00'}},
             {$oid: '000000000000000000000001'}, {$oid: 'ff0000000000000000000001'},
             false, true,
             {$date: {$numberLong: '-1'}}, {$date: {$numberLong: '1'}},
             {$timestamp: {t: 1, i: 2}}, {$timestamp: {t: 4294967295, i: 1}},
             /a/, /a/i, /b/, {$maxKey: 1}]""";

    private final List<BsonValue> ascending = new ArrayList<>(BsonArray.parse(ASCENDING));

    @Test
    void everyValueIsBelowAllThatFollowIt() {
        for (int i = 0; i < ascending.size(); i++) {
            for (int j = 0; j < ascending.size(); j++) {
                assertThat(Integer.signum(BsonOrder.INSTANCE.compare(ascending.get(i), ascending.get(j))))
                        .as("%s <=> %s", ascending.get(i), ascending.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    @Test
    void sortingRestoresTheOrder() {
        List<BsonValue> shuffled = new ArrayList<>(ascending);
        Collections.shuffle(shuffled, new Random(7));
        shuffled.sort(BsonOrder.INSTANCE);
        assertThat(shuffled).isEqualTo(ascending);
    }

    @Test
    void numbersOfDifferentTypesAreEqualByValue() {
        List<BsonValue> ones = BsonArray.parse("[1, 1.0, {$numberLong: '1'}, {$numberDecimal: '1.00'}]");
        List<BsonValue> zeros = BsonArray.parse("[0, -0.0, {$numberDecimal: '-0E+3'}]");
        assertThat(ones).allMatch(one -> BsonOrder.valuesEqual(one, ones.getFirst()));
        assertThat(zeros).allMatch(zero -> BsonOrder.valuesEqual(zero, zeros.getFirst()));
        assertThat(BsonOrder.valuesEqual(BsonDocument.parse("{a: [1]}"), BsonDocument.parse("{a: [1.0]}")))
                .isTrue();
    }
}
