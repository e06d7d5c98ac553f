package dev.sluice.deliver;

import dev.sluice.json.JsonBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A batch as gateways over HTTP and NATS get it: {@code {"events":[{"subscriptionId","event","seq","partitionId",
 * "fencingToken","redelivery","progress","revision","log"},…],"perEventRetries":true}}, with {@code "representative":true} and
 * the {@code "priority"} it stands for where that is so; the revision is left out where it is not known. Before {@code "events"}
 * stand, where there are any, {@code "subscriptions"} (definitions the gateway is to know first), {@code "toldBefore"} (ids; see
 * {@link Introductions}) and {@code "passed"} (see {@link Passed}). The events' own texts are taken as they are, encoded once for all who get them; large ones are not even copied.
 */
public final class DeliveryBody {
    private static final String END = "]}";

    /** The sender understands an answer that wants some of the events later, and has the others. */
    private static final String ANSWERED_END = "],\"perEventRetries\":true}";

    /** A piece ends when it has this many bytes; the text of an event of this size is a piece of its own, not copied. */
    private static final int PIECE_BYTES = 16 << 10;

    /** Enough for a few events; a full batch grows it to {@link #PIECE_BYTES}. */
    private static final int FIRST_BYTES = 2 << 10;

    private final List<byte[]> pieces = new ArrayList<>();
    private final JsonBuffer piece = new JsonBuffer(FIRST_BYTES);
    private long length;

    private DeliveryBody(DeliveryBatch batch, String end) {
        piece.ascii("{");
        IntroductionsJson.append(batch.introductions(), piece);
        PassedJson.append(batch.passed(), piece);
        piece.ascii("\"events\":[");
        boolean isFirst = true;
        for (Delivery delivery : batch.deliveries()) {
            if (!isFirst) {
                piece.ascii(",");
            }
            isFirst = false;
            add(delivery);
        }
        piece.ascii(end);
        endPiece();
    }

    /**
     * To be answered by a {@link DeliveryReply}.
     *
     * @throws RuntimeException when an event cannot be written as JSON
     */
    public static DeliveryBody of(DeliveryBatch batch) {
        return new DeliveryBody(batch, ANSWERED_END);
    }

    /**
     * For a stream, where nobody answers.
     *
     * @throws RuntimeException when an event cannot be written as JSON
     */
    public static DeliveryBody unanswered(DeliveryBatch batch) {
        return new DeliveryBody(batch, END);
    }

    /** In bytes. */
    public long length() {
        return length;
    }

    /** To be sent one after the other, and not to be changed. */
    public List<byte[]> pieces() {
        return pieces;
    }

    /** The whole in one array: ask for the {@link #length} first. */
    public byte[] bytes() {
        byte[] whole = new byte[Math.toIntExact(length)];
        int at = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, whole, at, piece.length);
            at += piece.length;
        }
        return whole;
    }

    private void add(Delivery delivery) {
        piece.ascii("{\"subscriptionId\":").quote(delivery.subscriptionId()).ascii(",\"event\":");
        addEvent(delivery.event().json(delivery.type()));
        piece.ascii(",\"seq\":").number(delivery.seq());
        piece.ascii(",\"partitionId\":").number(delivery.partition());
        piece.ascii(",\"fencingToken\":{\"generation\":")
                .number(delivery.token().generation());
        piece.ascii(",\"epoch\":").number(delivery.token().epoch());
        piece.ascii("},\"redelivery\":").bool(delivery.redelivery());
        piece.ascii(",\"progress\":").quote(delivery.progress());
        if (delivery.revision() > 0) {
            piece.ascii(",\"revision\":").number(delivery.revision());
        }
        piece.ascii(",\"log\":").quote(delivery.event().event().backend());
        if (delivery.standsFor() != null) {
            piece.ascii(",\"representative\":true,\"priority\":")
                    .quote(delivery.standsFor().text());
        }
        if (!delivery.except().isEmpty()) {
            piece.ascii(",\"except\":").quoteAll(delivery.except());
        }
        piece.ascii("}");
    }

    private void addEvent(byte[] json) {
        if (json.length >= PIECE_BYTES) {
            endPiece();
            pieces.add(json);
            length += json.length;
            return;
        }
        if (piece.size() + json.length > PIECE_BYTES) {
            endPiece();
        }
        piece.raw(json);
    }

    private void endPiece() {
        length += piece.size();
        pieces.add(piece.toByteArray());
        piece.truncate(0);
    }
}
