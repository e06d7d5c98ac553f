package dev.sluice.deliver;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A batch as gateways over HTTP and NATS get it: {@code {"events":[{"subscriptionId","event","seq","partitionId",
 * "fencingToken","redelivery","progress"},…],"perEventRetries":true}}, with {@code "representative":true} and the
 * {@code "priority"} it stands for where that is so. Before {@code "events"} stand, where there are any, {@code
 * "subscriptions"} (definitions the gateway is to know first) and {@code "toldBefore"} (ids; see {@link Introductions}). The
 * events' own texts are taken as they are, encoded once for all who get them; large ones are not even copied.
 */
public final class DeliveryBody {
    private static final byte[] OPEN = utf8("{");
    private static final byte[] START = utf8("\"events\":[");
    private static final byte[] END = utf8("]}");

    /** The sender understands an answer that wants some of the events later, and has the others. */
    private static final byte[] ANSWERED_END = utf8("],\"perEventRetries\":true}");

    private static final int AROUND = 256;
    private static final int LARGE = 16 << 10;

    private final List<byte[]> pieces = new ArrayList<>();
    private final ByteArrayOutputStream small = new ByteArrayOutputStream(LARGE);
    private long length;

    private DeliveryBody(DeliveryBatch batch, byte[] end) {
        add(OPEN);
        if (!batch.introductions().isEmpty()) {
            add(utf8(IntroductionsJson.of(batch.introductions())));
        }
        add(START);
        for (int k = 0; k < batch.deliveries().size(); k++) {
            Delivery delivery = batch.deliveries().get(k);
            add(utf8(before(delivery, k > 0)));
            add(delivery.event().json(delivery.type()));
            add(utf8(behind(delivery)));
        }
        add(end);
        flush();
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

    private static String before(Delivery delivery, boolean another) {
        StringBuilder text = new StringBuilder(AROUND);
        text.append(another ? ",{\"subscriptionId\":" : "{\"subscriptionId\":");
        JsonText.quote(delivery.subscriptionId(), text);
        return text.append(",\"event\":").toString();
    }

    private static String behind(Delivery delivery) {
        StringBuilder text = new StringBuilder(AROUND);
        text.append(",\"seq\":").append(delivery.seq());
        text.append(",\"partitionId\":").append(delivery.partition());
        text.append(",\"fencingToken\":{\"generation\":")
                .append(delivery.token().generation());
        text.append(",\"epoch\":").append(delivery.token().epoch());
        text.append("},\"redelivery\":").append(delivery.redelivery());
        text.append(",\"progress\":");
        JsonText.quote(delivery.progress(), text);
        if (delivery.standsFor() != null) {
            text.append(",\"representative\":true,\"priority\":\"");
            text.append(delivery.standsFor().text()).append('"');
        }
        return text.append('}').toString();
    }

    private void add(byte[] piece) {
        length += piece.length;
        if (piece.length >= LARGE) {
            flush();
            pieces.add(piece);
            return;
        }
        if (small.size() + piece.length > LARGE) {
            flush();
        }
        small.writeBytes(piece);
    }

    private void flush() {
        if (small.size() > 0) {
            pieces.add(small.toByteArray());
            small.reset();
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
