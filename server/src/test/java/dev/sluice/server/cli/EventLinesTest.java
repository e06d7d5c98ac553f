package dev.sluice.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.sluice.grpc.puller.v1.Event;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

class EventLinesTest {
    private static final Event UPDATE = Event.newBuilder()
            .setId("1-2-0000000000000003")
            .setOperationType("update")
            .setBackend("shop")
            .setCollection("orders")
            .setDocumentId("7")
            .setTenant("acme")
            .setFullDocument(ByteString.copyFromUtf8("{\"_id\": \"7\", \"state\": \"paid\", \"n\": 12345678901}"))
            .setUpdateDescription(
                    ByteString.copyFromUtf8("{\"updatedFields\": {\"state\": \"paid\"}, \"removedFields\": [\"old\"]}"))
            .setProgress("marker")
            .build();

    @Test
    void aReadableLineSaysWhatChangedWhereWithoutEscapesUnlessAskedFor() {
        assertThat(EventLines.readable(false).of(UPDATE))
                .contains("update", "shop orders/7 [acme]", "{\"state\": \"paid\"} without")
                .doesNotContain("\u001b");
        assertThat(EventLines.readable(true).of(UPDATE)).contains("\u001b[33m");
    }

    @Test
    void aJsonLineIsOneObjectWithTheDocumentInside() {
        var line = EventLines.json().of(UPDATE);
        assertThat(line.lines()).hasSize(1);
        var parsed = BsonDocument.parse(line);
        assertThat(parsed.getDocument("document").getInt64("n").getValue()).isEqualTo(12345678901L);
        assertThat(parsed.getString("progress").getValue()).isEqualTo("marker");
    }

    @Test
    void aDeleteHasNoDocument() {
        var delete = UPDATE.toBuilder()
                .clearFullDocument()
                .clearUpdateDescription()
                .setOperationType("delete")
                .build();
        assertThat(BsonDocument.parse(EventLines.json().of(delete)).isNull("document"))
                .isTrue();
        assertThat(EventLines.readable(false).of(delete)).contains("delete").endsWith("[acme]  ");
    }

    @Test
    void aBriefLineFits() {
        assertThat(EventLines.brief(30).of(UPDATE))
                .hasSize(30)
                .startsWith("update  orders/7")
                .endsWith("…");
    }
}
