package dev.sluice.coordinate.memory;

import dev.sluice.coordinate.CoordinationStore;
import dev.sluice.coordinate.Entry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One change in the journal: {@code length, CRC-32C, kind, revision, length of the key, key, value}, big-endian; the
 * first two are about what follows them. The head of a file, a deletion of no key, says which revision was reached when the
 * file was begun.
 */
record JournalRecord(String key, byte @Nullable [] value, long revision) {
    private static final int FRAME = Integer.BYTES + Integer.BYTES;
    private static final int FIXED = Byte.BYTES + Long.BYTES + Short.BYTES;
    private static final int MAX_BODY = FIXED + Short.MAX_VALUE + CoordinationStore.MAX_VALUE;
    private static final byte WRITTEN = 1;
    private static final byte DELETED = 2;

    static JournalRecord head(long revision) {
        return new JournalRecord("", null, revision);
    }

    static JournalRecord written(Entry entry) {
        return new JournalRecord(entry.key(), entry.value(), entry.revision());
    }

    static JournalRecord deleted(String key, long revision) {
        return new JournalRecord(key, null, revision);
    }

    void applyTo(Map<String, Entry> values) {
        if (value == null) {
            values.remove(key);
        } else {
            values.put(key, new Entry(key, value, revision));
        }
    }

    ByteBuffer encode() {
        byte[] name = key.getBytes(StandardCharsets.US_ASCII);
        byte[] content = value == null ? new byte[0] : value;
        int length = FIXED + name.length + content.length;
        ByteBuffer record = ByteBuffer.allocate(FRAME + length);
        record.position(FRAME);
        record.put(value == null ? DELETED : WRITTEN).putLong(revision).putShort((short) name.length);
        record.put(name).put(content);
        return record.putInt(0, length)
                .putInt(Integer.BYTES, checksum(record, FRAME, length))
                .flip();
    }

    /**
     * The records of a file; what a crash tore at its end is left out.
     *
     * @throws IOException also when a record is damaged that has whole ones behind it: no crash does that
     */
    static List<JournalRecord> readAll(Path file) throws IOException {
        ByteBuffer bytes;
        try {
            bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        } catch (NoSuchFileException none) {
            return List.of();
        }
        List<JournalRecord> records = new ArrayList<>();
        int at = 0;
        while (isWhole(bytes, at)) {
            records.add(decode(bytes, at));
            at += FRAME + bytes.getInt(at);
        }
        for (int behind = at + 1; behind < bytes.limit(); behind++) {
            if (isWhole(bytes, behind)) {
                throw new IOException("its record at byte " + at + " is damaged");
            }
        }
        return records;
    }

    private static boolean isWhole(ByteBuffer bytes, int at) {
        if (bytes.limit() - at < FRAME + FIXED) {
            return false;
        }
        int length = bytes.getInt(at);
        return length >= FIXED
                && length <= MAX_BODY
                && length <= bytes.limit() - at - FRAME
                && bytes.getInt(at + Integer.BYTES) == checksum(bytes, at + FRAME, length);
    }

    private static JournalRecord decode(ByteBuffer bytes, int at) {
        ByteBuffer body = bytes.slice(at + FRAME, bytes.getInt(at));
        boolean written = body.get() == WRITTEN;
        long revision = body.getLong();
        byte[] name = new byte[body.getShort()];
        body.get(name);
        byte[] content = new byte[body.remaining()];
        body.get(content);
        return new JournalRecord(new String(name, StandardCharsets.US_ASCII), written ? content : null, revision);
    }

    private static int checksum(ByteBuffer bytes, int from, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes.slice(from, length));
        return (int) sum.getValue();
    }
}
