package dev.sluice.rocksdb;

import dev.sluice.log.Wire;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes a record field by field, in the encoding that {@link dev.sluice.log.WireReader} reads. */
final class RecordWriter {
    private static final int LONGEST_HEAD = 11;

    private byte[] bytes = new byte[128];
    private int size;

    /** Empty texts are left out. */
    void text(int field, String text) {
        if (!text.isEmpty()) {
            bytes(field, text.getBytes(StandardCharsets.UTF_8));
        }
    }

    void bytes(int field, byte[] value) {
        room(LONGEST_HEAD + value.length);
        size = Wire.putBytesHead(bytes, size, field, value.length);
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
    }

    /** Zeros are left out. */
    void number(int field, long value) {
        if (value != 0) {
            room(LONGEST_HEAD);
            size = Wire.putVarintField(bytes, size, field, value);
        }
    }

    private void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
        }
    }

    byte[] record() {
        return Arrays.copyOf(bytes, size);
    }
}
