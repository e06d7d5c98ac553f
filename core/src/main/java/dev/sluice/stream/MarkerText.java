package dev.sluice.stream;

import dev.sluice.log.EventRecord;
import dev.sluice.model.EventId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A progress marker under construction: the text of {@link dev.sluice.model.ProgressMarker}, kept up to date in place,
 * because every event on the wire carries one. From the start it names all backends, so that none ever replays from its
 * oldest event by omission.
 */
public final class MarkerText {
    private static final byte[] DIGITS =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);

    private final List<byte[]> names;
    private final byte[][] ids;
    private final int[] idOffsets;
    private byte[] json = {};
    private byte[] encoded = {};
    private long version;

    /** @param backends in alphabetical order; they are meant by their index from here on */
    public MarkerText(List<String> backends, List<EventId> start) {
        this.names = backends.stream()
                .map(name -> name.getBytes(StandardCharsets.US_ASCII))
                .toList();
        this.ids = start.stream().map(MarkerText::text).toArray(byte[][]::new);
        this.idOffsets = new int[ids.length];
        rebuild();
    }

    private static byte[] text(EventId id) {
        return id.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** This backend has been passed up to this event. */
    public void move(int backend, EventRecord event) {
        byte[] bytes = event.array();
        // The id is the body's first field: a tag, its length in one byte, the text.
        int length = bytes[event.bodyOffset() + 1];
        move(backend, bytes, event.bodyOffset() + 2, length);
    }

    public void move(int backend, EventId id) {
        byte[] text = text(id);
        move(backend, text, 0, text.length);
    }

    private void move(int backend, byte[] from, int offset, int length) {
        if (ids[backend].length != length) {
            ids[backend] = Arrays.copyOfRange(from, offset, offset + length);
            rebuild();
            return;
        }
        int at = idOffsets[backend];
        int same = Arrays.mismatch(json, at, at + length, from, offset, offset + length);
        if (same >= 0) {
            System.arraycopy(from, offset + same, json, at + same, length - same);
            System.arraycopy(from, offset + same, ids[backend], same, length - same);
            encode(at + same, at + length);
        }
    }

    private void rebuild() {
        int size = "{\"p\":{}}".length();
        for (int b = 0; b < ids.length; b++) {
            size += names.get(b).length + ids[b].length + "\"\":\"\"".length() + (b == 0 ? 0 : 1);
        }
        json = new byte[size];
        int at = put("{\"p\":{", 0);
        for (int b = 0; b < ids.length; b++) {
            at = put(b == 0 ? "\"" : ",\"", at);
            at = put(names.get(b), at);
            at = put("\":\"", at);
            idOffsets[b] = at;
            at = put(ids[b], at);
            at = put("\"", at);
        }
        put("}}", at);
        encoded = new byte[(size * 4 + 2) / 3];
        encode(0, size);
    }

    private int put(String text, int at) {
        return put(text.getBytes(StandardCharsets.US_ASCII), at);
    }

    private int put(byte[] from, int at) {
        System.arraycopy(from, 0, json, at, from.length);
        return at + from.length;
    }

    /** Three bytes make four digits, whatever stands beside them: only the groups that changed are written anew. */
    private void encode(int from, int to) {
        version++;
        for (int group = from / 3; group * 3 < to; group++) {
            int at = group * 3;
            int rest = Math.min(3, json.length - at);
            int bits = (json[at] & 0xFF) << 16
                    | (rest > 1 ? (json[at + 1] & 0xFF) << 8 : 0)
                    | (rest > 2 ? json[at + 2] & 0xFF : 0);
            for (int digit = 0; digit <= rest; digit++) {
                encoded[group * 4 + digit] = DIGITS[bits >> 18 - 6 * digit & 63];
            }
        }
    }

    /** Differs from an earlier one when the marker has changed since. */
    public long version() {
        return version;
    }

    public int length() {
        return encoded.length;
    }

    /** Writes the marker and says where it ends. */
    public int copyTo(byte[] to, int at) {
        System.arraycopy(encoded, 0, to, at, encoded.length);
        return at + encoded.length;
    }

    @Override
    public String toString() {
        return new String(encoded, StandardCharsets.US_ASCII);
    }
}
