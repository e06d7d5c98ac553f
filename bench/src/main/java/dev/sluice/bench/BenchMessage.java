package dev.sluice.bench;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * The body of a message.
 *
 * @param phase of the benchmark, so that a message of an earlier one is recognised
 * @param number from 0 on within its phase
 * @param sentAt wall clock in microseconds
 */
record BenchMessage(int phase, int number, long sentAt) {
    private static final int BYTES = 200;

    byte[] encode() {
        byte[] body = new byte[BYTES];
        ByteBuffer.wrap(body).putInt(phase).putInt(number).putLong(sentAt);
        return body;
    }

    static BenchMessage decode(byte[] body) {
        ByteBuffer buffer = ByteBuffer.wrap(body);
        return new BenchMessage(buffer.getInt(), buffer.getInt(), buffer.getLong());
    }

    static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }
}
