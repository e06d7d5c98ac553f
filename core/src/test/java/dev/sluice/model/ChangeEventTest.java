package dev.sluice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalLong;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ChangeEventTest {
    private static ChangeEvent event(Operation operation, String collection, DocumentId documentId) {
        return new ChangeEvent(
                EventId.parse("5-1-0000000000000001"),
                "main",
                operation,
                "",
                collection,
                documentId,
                null,
                null,
                5000,
                OptionalLong.empty(),
                false);
    }

    @Test
    void dataEventsNameTheirDocument() {
        assertThatThrownBy(() -> event(Operation.DELETE, "orders", DocumentId.NONE))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("delete");
        assertThatThrownBy(() -> event(Operation.INSERT, "", DocumentId.of(new BsonString("a"))))
                .isInstanceOf(InvalidInputException.class);
    }

    @Test
    void controlEventsNeedNeither() {
        ChangeEvent resync = event(Operation.RESYNC, "", DocumentId.NONE);
        assertThat(resync.clusterTime()).isEqualTo(ClusterTime.of(5, 1));
        assertThat(resync.operation().isControl()).isTrue();
    }

    @Test
    void itsPartitionIsThatOfCollectionAndDocument() {
        ChangeEvent event = event(Operation.INSERT, "orders", DocumentId.of(new BsonString("a")));
        Partitioner partitioner = new Partitioner(16);
        assertThat(event.partition(partitioner)).isEqualTo(partitioner.partitionOf("orders", "a"));
    }

    @ParameterizedTest
    @EnumSource
    void operationsRoundTripByNameAndNumber(Operation operation) {
        assertThat(Operation.parse(operation.text())).isSameAs(operation);
        assertThat(Operation.ofCode(operation.code())).isSameAs(operation);
    }

    /** These numbers stand in log files: changing one would misread every log on disk. */
    @Test
    void operationNumbersArePinned() {
        assertThat(Operation.values())
                .extracting(Operation::text)
                .containsExactly(
                        "insert", "update", "replace", "delete", "drop", "rename", "invalidate", "resync", "heartbeat");
        assertThatThrownBy(() -> Operation.ofCode(9)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> Operation.ofCode(-1)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> Operation.parse("Insert")).isInstanceOf(InvalidInputException.class);
    }

    @Test
    void rawDocumentsAreASliceComparedByContent() {
        RawBson whole = RawBson.of(BsonDocument.parse("{_id: 1, name: 'x'}"));
        byte[] padded = new byte[whole.length() + 7];
        System.arraycopy(whole.toBytes(), 0, padded, 3, whole.length());
        RawBson slice = new RawBson(padded, 3, whole.length());
        assertThat(slice).isEqualTo(whole).hasSameHashCodeAs(whole);
        assertThat(slice.toJson()).isEqualTo("{\"_id\": 1, \"name\": \"x\"}");
        assertThat(slice.view().getString("name").getValue()).isEqualTo("x");
        assertThatThrownBy(() -> new RawBson(padded, 3, padded.length)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> new RawBson(padded, -1, 9)).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(() -> new RawBson(padded, Integer.MAX_VALUE, 9)).isInstanceOf(InvalidInputException.class);
    }
}
