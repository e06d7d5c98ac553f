package dev.sluice.testkit.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ThreadLocalRandom;

/** Something on its way through the proxy: bytes, the orderly end of the stream, or its reset. */
final class Piece {

    enum Kind {
        BYTES,
        END,
        RESET
    }

    private static final byte[] NOTHING = {};

    private final Kind kind;
    private final byte[] bytes;
    private final long arrived = System.nanoTime();
    private final double luck = ThreadLocalRandom.current().nextDouble();
    private int done;

    private Piece(Kind kind, byte[] bytes) {
        this.kind = kind;
        this.bytes = bytes;
    }

    static Piece of(byte[] bytes) {
        return new Piece(Kind.BYTES, bytes);
    }

    static Piece end() {
        return new Piece(Kind.END, NOTHING);
    }

    static Piece reset() {
        return new Piece(Kind.RESET, NOTHING);
    }

    Kind kind() {
        return kind;
    }

    int remaining() {
        return bytes.length - done;
    }

    long dueAfter(Fault.Delay delay) {
        return arrived + delay.base().toNanos() + (long) (luck * delay.jitter().toNanos());
    }

    void write(OutputStream out, int count) throws IOException {
        out.write(bytes, done, count);
    }

    void skip(int count) {
        done += count;
    }
}
