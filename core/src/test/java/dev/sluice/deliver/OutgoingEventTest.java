package dev.sluice.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;

class OutgoingEventTest {
    @Test
    void aDocumentThatCannotBeWrittenIsRejectedAndKeptAsItsBytes() {
        byte[] damaged =
                RawBson.of(new BsonDocument("text", new BsonString("x"))).toBytes();
        damaged[damaged.length - 2] = 'y';
        OutgoingEvent event = new OutgoingEvent(new ChangeEvent(
                new EventId(ClusterTime.of(9, 1), 1),
                "main",
                Operation.INSERT,
                "acme",
                "orders",
                DocumentId.of(new BsonString("d")),
                RawBson.of(damaged),
                null,
                1_700_000_000_000L,
                OptionalLong.empty(),
                false));
        assertThatThrownBy(() -> event.json(EventType.INSERT))
                .isInstanceOf(BsonSerializationException.class)
                .hasMessage("malformed BSON: a string does not end with a zero byte");
        assertThat(new String(event.jsonOrBytes(EventType.INSERT), StandardCharsets.UTF_8))
                .contains("\"document\":{\"$binary\":{\"base64\":\""
                        + Base64.getEncoder().encodeToString(damaged)
                        + "\",\"subType\":\"00\"}},\"updateDescription\":null");
    }
}
