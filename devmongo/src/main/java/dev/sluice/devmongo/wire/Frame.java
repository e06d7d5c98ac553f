package dev.sluice.devmongo.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** One message as it came: its header, and its body little-endian from the first byte after the header. */
public record Frame(int requestId, int responseTo, int opCode, ByteBuffer body) {
    public static final int HEADER_BYTES = 16;
    public static final int MAX_BYTES = 48_000_000;

    /** Reads one frame, or null at the orderly end of the stream. */
    public static @Nullable Frame read(InputStream in) throws IOException {
        byte[] header = in.readNBytes(HEADER_BYTES);
        if (header.length == 0) {
            return null;
        }
        if (header.length < HEADER_BYTES) {
            throw new EOFException("The connection ended within a header.");
        }
        ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        int length = fields.getInt();
        if (length < HEADER_BYTES || length > MAX_BYTES) {
            throw new MalformedFrame("A message of " + length + " bytes is out of bounds.");
        }
        byte[] body = new byte[length - HEADER_BYTES];
        if (in.readNBytes(body, 0, body.length) < body.length) {
            throw new EOFException("The connection ended within a message.");
        }
        return new Frame(
                fields.getInt(),
                fields.getInt(),
                fields.getInt(),
                ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN));
    }
}
