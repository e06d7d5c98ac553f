package dev.sluice.devmongo.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Collects small writes to a file into large ones. */
final class FrameWriter {
    private static final int BUFFER_BYTES = 1 << 20;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    FrameWriter(FileChannel channel) {
        this.channel = channel;
    }

    void write(byte[] bytes) {
        if (bytes.length > buffer.remaining()) {
            flush();
        }
        if (bytes.length > buffer.remaining()) {
            writeAll(ByteBuffer.wrap(bytes));
        } else {
            buffer.put(bytes);
        }
    }

    void flush() {
        writeAll(buffer.flip());
        buffer.clear();
    }

    private void writeAll(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
