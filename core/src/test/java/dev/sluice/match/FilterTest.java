package dev.sluice.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.RawBson;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MongoDB's rules by hand, where they surprise; the rest is compared with a server by the tests of the mongodb module. */
class FilterTest {
    private static boolean matches(String filter, String document) {
        return Filter.parse(filter).matches(RawBson.of(BsonDocument.parse(document)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | {a:1} | true",
                "{a:1} | {a:{$numberDecimal:'1.0'}} | true",
                "{a:{$numberLong:'9007199254740993'}} | {a:9007199254740992.0} | false",
                "{a:null} | {} | true",
                "{a:null} | {a:[1,null]} | true",
                "{'a.b':null} | {a:[1,2]} | false",
                "{'a.b':null} | {a:[{}]} | true",
                "{a:{$ne:1}} | {} | true",
                "{a:{$ne:1}} | {a:[1,2]} | false",
                "{a:{$gt:5}} | {a:'9'} | false",
                "{a:{$gt:5,$lt:3}} | {a:[1,9]} | true",
                "{a:{$elemMatch:{$gt:5,$lt:3}}} | {a:[1,9]} | false",
                "{a:[1,2]} | {a:[1,2]} | true",
                "{a:[1,2]} | {a:[[1,2],3]} | true",
                "{a:[1,2]} | {a:[2,1]} | false",
                "{a:{b:1,c:2}} | {a:{c:2,b:1}} | false",
                "{'a.0':1} | {a:[1,2]} | true",
                "{'a.0':1} | {a:{'0':1}} | true",
                "{'a.b.c':1} | {a:[{b:[{c:0},{c:1}]}]} | true",
                "{a:{$exists:false}} | {a:null} | false",
                "{a:{$gte:null}} | {} | true",
                "{a:{$size:2}} | {a:[1,[2]]} | true",
                "{a:{$all:[1,2]}} | {a:[2,3,1]} | true",
                "{a:{$all:[]}} | {a:[]} | false",
                "{a:{$in:[null,5]}} | {} | true",
                "{a:{$in:[/^x/,5]}} | {a:'xy'} | true",
                "{a:{$nin:[1]}} | {a:[1]} | false",
                "{a:/^x\\./} | {a:'x.y'} | true",
                "{a:/^x/} | {a:['y','xy']} | true",
                "{a:{$not:{$gt:1}}} | {a:'x'} | true",
                "{$nor:[{a:1},{b:1}]} | {a:2} | true",
                "{a:{$numberDouble:'NaN'}} | {a:{$numberDecimal:'NaN'}} | true",
                "{a:{$lt:5}} | {a:{$numberDouble:'NaN'}} | false",
                "{a:{$lt:{$maxKey:1}}} | {} | true",
                "{a:1,a:2} | {a:[1,2]} | true",
                "{a:1,a:2} | {a:2} | false",
            })
    void followsMongoDb(String filter, String document, boolean expected) {
        assertThat(matches(filter, document)).isEqualTo(expected);
    }

    @Test
    void equalFiltersAreEqualValues() {
        String json =
                "{a:{$in:[3,1,/^x/],$gt:5},$or:[{b:{$elemMatch:{c:1}}},{d:{$exists:true}}],e:{$size:2},'f.g':/^y/}";
        assertThat(Filter.parse(json)).isEqualTo(Filter.parse(json)).hasSameHashCodeAs(Filter.parse(json));
        assertThat(Filter.parse("{a:1}")).isNotEqualTo(Filter.parse("{a:2}"));
        assertThat(Filter.parse("{a:{$in:[1,2]}}")).isEqualTo(Filter.parse("{a:{$in:[2,1,2]}}"));
    }

    @Test
    void theSliceOfAnArrayIsReadWhereItIs() {
        RawBson document = RawBson.of(BsonDocument.parse("{a:{b:'x'}}"));
        byte[] shifted = new byte[document.length() + 20];
        System.arraycopy(document.toBytes(), 0, shifted, 11, document.length());
        RawBson slice = new RawBson(shifted, 11, document.length());
        assertThat(Filter.parse("{'a.b':'x'}").matches(slice)).isTrue();
        assertThat(Filter.parse("{'a.b':'y'}").matches(slice)).isFalse();
    }
}
