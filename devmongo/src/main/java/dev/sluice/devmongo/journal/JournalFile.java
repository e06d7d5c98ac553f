package dev.sluice.devmongo.journal;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of frames: length, checksum, bytes. What {@link #append} returned from is on disk; a frame that a crash cut off is dropped
 * at the next start. Used by one thread at a time.
 */
final class JournalFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JournalFile.class);
    private static final byte[] MAGIC = "DEVMONG1".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER_BYTES = 8;

    private final Path path;
    private FileChannel channel;
    private long end;

    private JournalFile(Path path, FileChannel channel, long end) {
        this.path = path;
        this.channel = channel;
        this.end = end;
    }

    /** Opens or creates it; {@code frames} gets every whole frame, in order. */
    static JournalFile open(Path path, Consumer<byte[]> frames) throws IOException {
        long end = Files.exists(path) ? read(path, frames) : 0;
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        JournalFile file = new JournalFile(path, channel, end);
        if (channel.size() > end) {
            LOG.warn(
                    "devmongo drops the last {} bytes of {}: a crash cut off what was being written.",
                    channel.size() - end,
                    path);
            channel.truncate(end);
        }
        if (end == 0) {
            file.append(ByteBuffer.wrap(MAGIC));
            syncDirectory(path);
        }
        return file;
    }

    /** Returns where the last whole frame ends. */
    private static long read(Path path, Consumer<byte[]> frames) throws IOException {
        long size = Files.size(path);
        if (size < MAGIC.length) {
            return 0;
        }
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 20))) {
            if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
                throw new IOException(
                        path + " is not a journal that this version of devmongo reads: use another directory");
            }
            long at = MAGIC.length;
            while (size - at >= HEADER_BYTES) {
                int length = in.readInt();
                int checksum = in.readInt();
                if (length < 0 || length > size - at - HEADER_BYTES) {
                    return at;
                }
                byte[] bytes = in.readNBytes(length);
                if (checksum(bytes) != checksum) {
                    return at;
                }
                frames.accept(bytes);
                at += HEADER_BYTES + length;
            }
            return at;
        }
    }

    private static int checksum(byte[] bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return (int) sum.getValue();
    }

    /** A frame that holds these bytes. */
    static byte[] frame(byte[] bytes) {
        return ByteBuffer.allocate(HEADER_BYTES + bytes.length)
                .putInt(bytes.length)
                .putInt(checksum(bytes))
                .put(bytes)
                .array();
    }

    long size() {
        return end;
    }

    /** Writes whole frames behind the last and returns when they are on disk; after a failure the same may be appended again. */
    void append(ByteBuffer frames) throws IOException {
        long at = end;
        while (frames.hasRemaining()) {
            at += channel.write(frames, at);
        }
        channel.force(false);
        end = at;
    }

    /** Replaces all frames by those that {@code writing} gives it; a crash leaves the old ones or the new ones. */
    void replace(Consumer<Consumer<byte[]>> writing) throws IOException {
        Path fresh = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        FileChannel replacement = FileChannel.open(fresh, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FrameWriter writer = new FrameWriter(replacement);
            writer.write(MAGIC);
            writing.accept(bytes -> writer.write(frame(bytes)));
            writer.flush();
            replacement.force(true);
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            syncDirectory(path);
        } catch (IOException | RuntimeException failed) {
            replacement.close();
            throw failed;
        }
        channel.close();
        channel = replacement;
        end = replacement.size();
    }

    /** So that the name of a new file outlives a power failure. */
    private static void syncDirectory(Path file) throws IOException {
        try (FileChannel directory = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
