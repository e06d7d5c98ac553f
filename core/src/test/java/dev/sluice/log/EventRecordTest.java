package dev.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.ChangeEvent;
import dev.sluice.model.ClusterTime;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.InvalidInputException;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;

class EventRecordTest {
    private static final EventId ID = new EventId(ClusterTime.of(5, 300), 0xA1);

    /** Written by hand from protobuf's encoding rules: consumers of any language decode exactly this. */
    @Test
    void theBodyIsTheProtobufEncodingOfTheEvent() {
        EventRecord record = EventRecord.of(new ChangeEvent(
                ID,
                "main",
                Operation.INSERT,
                "t",
                "c",
                new DocumentId(DocumentId.Kind.STRING, "d"),
                RawBson.of(BsonDocument.parse("{}")),
                null,
                300,
                OptionalLong.of(7),
                true));
        String id = "0a16" + HexFormat.of().formatHex("5-300-00000000000000a1".getBytes(StandardCharsets.UTF_8));
        String names = "120174" + "1a0163" + "220164" + "2a06" + "696e73657274";
        String rest = "3205" + "0500000000" + "4205" + "0805" + "10ac02" + "48ac02" + "6007" + "7001";
        assertThat(HexFormat.of().formatHex(record.array(), record.bodyOffset(), record.size()))
                .isEqualTo(id + names + rest);
    }

    /** Field 15 comes last: a log written before it existed is read as it was, with no pre-images in it. */
    @Test
    void aPreImageIsFieldFifteenBehindAllOthers() {
        EventRecordEncoder encoder = new EventRecordEncoder();
        EventRecord without = delete(encoder).encode();
        EventRecord with =
                delete(encoder).before(RawBson.of(BsonDocument.parse("{}"))).encode();
        String body = HexFormat.of().formatHex(without.array(), without.bodyOffset(), without.size());
        assertThat(HexFormat.of().formatHex(with.array(), with.bodyOffset(), with.size()))
                .isEqualTo(body + "7a05" + "0500000000");
        assertThat(delete(encoder).encode().before())
                .as("nothing is left of the record before")
                .isNull();
    }

    private static EventRecordEncoder delete(EventRecordEncoder encoder) {
        return encoder.id(ID)
                .operation(Operation.DELETE)
                .collection("c")
                .documentId(new DocumentId(DocumentId.Kind.STRING, "d"));
    }

    @Test
    void anEncoderTakesSlicesOfWhatCaptureHolds() {
        byte[] bytes = "..orders|acme|größe..".getBytes(StandardCharsets.UTF_8);
        ObjectId objectId = new ObjectId("65f0a1b2c3d4e5f60718293a");
        EventRecordEncoder encoder = new EventRecordEncoder();
        EventRecord byObjectId = encoder.id(ID)
                .operation(Operation.DELETE)
                .collection(bytes, 2, 6)
                .tenant(bytes, 9, 4)
                .objectId(objectId.toByteArray(), 0)
                .encode();
        assertThat(byObjectId.collection()).isEqualTo("orders");
        assertThat(byObjectId.tenant()).isEqualTo("acme");
        assertThat(byObjectId.documentId())
                .isEqualTo(new DocumentId(DocumentId.Kind.OBJECT_ID, objectId.toHexString()));
        EventRecord byString = encoder.id(ID)
                .operation(Operation.UPDATE)
                .collection("orders")
                .stringId(bytes, 14, 7)
                .encode();
        assertThat(byString.documentId()).isEqualTo(new DocumentId(DocumentId.Kind.STRING, "größe"));
        assertThat(byString.tenant()).as("nothing is left of the record before").isEmpty();
    }

    /** Protobuf's decoders refuse a string that is not UTF-8: one such event would end every consumer's stream. */
    @Test
    void textThatIsNotUtf8IsReplaced() {
        byte[] broken = {'a', (byte) 0xC3, 'b'};
        EventRecord record = new EventRecordEncoder()
                .id(ID)
                .operation(Operation.DELETE)
                .collection("c")
                .stringId(broken, 0, 3)
                .encode();
        assertThat(record.documentId().text()).isEqualTo("a\uFFFDb");
        assertThat(EventRecord.parse(record.array()).id()).isEqualTo(ID);
        assertThat(EventRecord.stored(record.array()).id()).isEqualTo(ID);
    }

    @Test
    void whatIsNoEventIsNotEncoded() {
        EventRecordEncoder encoder = new EventRecordEncoder();
        assertThatThrownBy(() -> encoder.id(ID).operation(Operation.INSERT).encode())
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("names a collection and a document");
        assertThatThrownBy(() -> encoder.id(ID)
                        .operation(Operation.RESYNC)
                        .before(new byte[] {9, 0, 0, 0, 0}, 0, 5)
                        .encode())
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("not one BSON document");
        assertThatThrownBy(() -> encoder.id(ID)
                        .operation(Operation.RESYNC)
                        .document(new byte[] {9, 0, 0, 0, 0}, 0, 5)
                        .encode())
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("not one BSON document");
        assertThat(encoder.id(ID).operation(Operation.RESYNC).encode().operation())
                .isEqualTo(Operation.RESYNC);
    }

    @Test
    void anUnknownFormatIsRefused() {
        byte[] bytes = new EventRecordEncoder()
                .id(ID)
                .operation(Operation.RESYNC)
                .encode()
                .array()
                .clone();
        bytes[0] = 2;
        assertThatThrownBy(() -> EventRecord.parse(bytes))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("format 2");
    }
}
