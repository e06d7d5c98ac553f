package dev.sluice.grpc;

import com.google.protobuf.ByteString;
import dev.sluice.grpc.puller.v1.Event;
import dev.sluice.model.ChangeEvent;
import dev.sluice.model.DocumentId;
import dev.sluice.model.EventId;
import dev.sluice.model.Operation;
import dev.sluice.model.RawBson;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** From the wire's event, with documents as BSON, to the one that the stages share. */
final class EventMessages {
    private EventMessages() {}

    /** @throws dev.sluice.model.InvalidInputException when the id cannot be read */
    static ChangeEvent change(Event event, Operation operation) {
        return new ChangeEvent(
                EventId.parse(event.getId()),
                event.getBackend(),
                operation,
                event.getTenant(),
                event.getCollection(),
                operation.isData() ? new DocumentId(kind(event), event.getDocumentId()) : DocumentId.NONE,
                bson(event.getFullDocument()),
                bson(event.getUpdateDescription()),
                event.getTimestamp(),
                event.hasTxnNumber() ? OptionalLong.of(event.getTxnNumber()) : OptionalLong.empty(),
                event.getLookup());
    }

    static @Nullable RawBson before(Event event) {
        return bson(event.getFullDocumentBeforeChange());
    }

    /** About how many bytes the event takes. */
    static long bytes(Event event) {
        return 128L
                + event.getFullDocument().size()
                + event.getUpdateDescription().size()
                + event.getFullDocumentBeforeChange().size();
    }

    private static DocumentId.Kind kind(Event event) {
        return switch (event.getDocumentIdKind()) {
            case DOCUMENT_ID_KIND_STRING -> DocumentId.Kind.STRING;
            case DOCUMENT_ID_KIND_OBJECT_ID -> DocumentId.Kind.OBJECT_ID;
            case DOCUMENT_ID_KIND_OTHER, UNRECOGNIZED -> DocumentId.Kind.OTHER;
        };
    }

    private static @Nullable RawBson bson(ByteString bytes) {
        return bytes.isEmpty() ? null : RawBson.of(bytes.toByteArray());
    }
}
