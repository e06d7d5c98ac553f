package dev.sluice.json;

import java.util.Arrays;
import java.util.List;
import org.bson.BsonSerializationException;

/** A growable array of UTF-8 bytes. JSON is appended to it. Not thread-safe. */
public final class JsonBuffer {
    /** Some JVMs cannot allocate an array of {@code Integer.MAX_VALUE}. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private byte[] bytes;
    private int size;

    public JsonBuffer(int capacity) {
        bytes = new byte[Math.max(16, capacity)];
    }

    /** Returns the number of bytes written. */
    public int size() {
        return size;
    }

    /** Returns a copy of the bytes written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    /** Removes everything behind the first {@code newSize} bytes and keeps the capacity. */
    public void truncate(int newSize) {
        if (newSize < 0 || newSize > size) {
            throw new IllegalArgumentException("cannot truncate " + size + " bytes to " + newSize);
        }
        size = newSize;
    }

    /** Appends bytes as they are. */
    public JsonBuffer raw(byte[] json) {
        return raw(json, 0, json.length);
    }

    /** Appends a slice as it is. */
    public JsonBuffer raw(byte[] from, int offset, int length) {
        reserve(length);
        System.arraycopy(from, offset, bytes, size, length);
        size += length;
        return this;
    }

    /** Appends a number in decimal digits. */
    public JsonBuffer number(long value) {
        DecimalDigits.append(value, this);
        return this;
    }

    /** Appends {@code true} or {@code false}. */
    public JsonBuffer bool(boolean value) {
        return ascii(value ? "true" : "false");
    }

    /** An array of strings. */
    public JsonBuffer quoteAll(List<String> texts) {
        String separator = "[";
        for (String each : texts) {
            ascii(separator).quote(each);
            separator = ",";
        }
        return ascii(texts.isEmpty() ? "[]" : "]");
    }

    /** Appends a string in quotes. Control characters and unpaired surrogates, which UTF-8 cannot carry, become escapes. */
    public JsonBuffer quote(String text) {
        QuotedText.append(text, this);
        return this;
    }

    /** Appends one ASCII character. */
    JsonBuffer append(char ascii) {
        if (size == bytes.length) {
            reserve(1);
        }
        bytes[size++] = (byte) ascii;
        return this;
    }

    /** Appends two ASCII characters. */
    JsonBuffer append(char first, char second) {
        reserve(2);
        bytes[size++] = (byte) first;
        bytes[size++] = (byte) second;
        return this;
    }

    /** Appends a string of ASCII characters as it is: without quotes, nothing escaped. */
    @SuppressWarnings("deprecation") // The method is deprecated because it keeps the low byte of each character only.
    public JsonBuffer ascii(String text) {
        reserve(text.length());
        text.getBytes(0, text.length(), bytes, size);
        size += text.length();
        return this;
    }

    /** Makes room for {@code more} bytes, which the caller writes into {@link #array} from {@link #size} on. */
    void reserve(int more) {
        if (more > bytes.length - size) {
            grow(more);
        }
    }

    byte[] array() {
        return bytes;
    }

    /** Counts bytes as written that the caller put into {@link #array}. */
    void advance(int written) {
        size += written;
    }

    private void grow(int more) {
        long needed = (long) size + more;
        if (needed > MAX_BYTES) {
            throw new BsonSerializationException("the JSON text is longer than " + MAX_BYTES + " bytes");
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(MAX_BYTES, Math.max(needed, 2L * bytes.length)));
    }
}
