package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;

class DocumentIdTest {
    private static final String HEX = "507f1f77bcf86cd799439011";

    @Test
    void isTheStringTheHexOrCanonicalJson() {
        assertThat(DocumentId.of(new BsonString("abc")).text()).isEqualTo("abc");
        assertThat(DocumentId.of(new BsonObjectId(new ObjectId(HEX))).text()).isEqualTo(HEX);
        assertThat(DocumentId.of(new BsonInt32(7)).text()).isEqualTo("{\"$numberInt\":\"7\"}");
        assertThat(DocumentId.of(new BsonInt64(7)).text()).isEqualTo("{\"$numberLong\":\"7\"}");
        assertThat(DocumentId.of(BsonDocument.parse("{a: 'x: \"y, ', b: {$numberInt: '1'}}"))
                        .text())
                .isEqualTo("{\"a\":\"x: \\\"y, \",\"b\":{\"$numberInt\":\"1\"}}");
    }

    /** Coalescing by text alone would merge two documents. */
    @Test
    void differentIdsWithOneTextStayDifferent() {
        assertThat(DocumentId.of(new BsonString(HEX))).isNotEqualTo(DocumentId.of(new BsonObjectId(new ObjectId(HEX))));
        assertThat(DocumentId.of(new BsonString("{\"$numberInt\":\"7\"}")))
                .isNotEqualTo(DocumentId.of(new BsonInt32(7)));
    }
}
