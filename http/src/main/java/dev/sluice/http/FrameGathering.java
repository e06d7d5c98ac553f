package dev.sluice.http;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The output of an HTTP/2 client connection. Gathers a frame of headers with the frame of data that follows it, and sends each
 * frame of data as soon as it is complete here. (What OkHttp's own buffer still holds, {@link PriorKnowledgeExchange} flushes.)
 *
 * <p>OkHttp itself writes each frame's header, and every 8 KiB of its data, by a system call of its own: a batch of 10 KiB took
 * ten.
 */
final class FrameGathering extends OutputStream {
    private static final int BUFFER_BYTES = 32 << 10;
    private static final int PREFACE_BYTES = 24;
    private static final int HEADER_BYTES = 9;
    private static final int TYPE_AT = 3;
    private static final byte DATA = 0;

    private final OutputStream out;
    private final byte[] header = new byte[HEADER_BYTES];
    private int headerBytes;

    /** Bytes of the current frame, or of the connection's preface, that are still to come. */
    private int left = PREFACE_BYTES;

    FrameGathering(OutputStream out) {
        this.out = new BufferedOutputStream(out, BUFFER_BYTES);
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        int at = from;
        int end = from + length;
        while (at < end) {
            int some = left > 0 ? Math.min(left, end - at) : Math.min(HEADER_BYTES - headerBytes, end - at);
            out.write(bytes, at, some);
            if (left > 0) {
                left -= some;
            } else {
                System.arraycopy(bytes, at, header, headerBytes, some);
                headerBytes += some;
                left = headerBytes == HEADER_BYTES ? lengthOfFrame() : 0;
            }
            at += some;
            endFrame();
        }
    }

    private int lengthOfFrame() {
        return (header[0] & 0xff) << 16 | (header[1] & 0xff) << 8 | header[2] & 0xff;
    }

    private void endFrame() throws IOException {
        if (headerBytes == HEADER_BYTES && left == 0) {
            headerBytes = 0;
            if (header[TYPE_AT] == DATA) {
                out.flush();
            }
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
