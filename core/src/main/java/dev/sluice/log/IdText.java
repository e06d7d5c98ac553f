package dev.sluice.log;

import java.util.Arrays;

/** The text of an event id as bytes, written and compared in place: there is one per event on the hot path. */
final class IdText {
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    private static final int HASH_DIGITS = 16;
    private static final long TEN_DIGITS = 1_000_000_000;
    private static final int LONGEST = 10 + 1 + 10 + 1 + HASH_DIGITS;

    private IdText() {}

    static int length(long time) {
        return digits(time >>> 32) + 1 + digits(time & 0xFFFF_FFFFL) + 1 + HASH_DIGITS;
    }

    static int put(byte[] to, int at, long time, long hash) {
        at = putNumber(to, at, time >>> 32);
        to[at++] = '-';
        at = putNumber(to, at, time & 0xFFFF_FFFFL);
        to[at++] = '-';
        for (int shift = 60; shift >= 0; shift -= 4) {
            to[at++] = hexDigit((int) (hash >>> shift));
        }
        return at;
    }

    /** Of the lowest four bits. */
    static byte hexDigit(int value) {
        return HEX[value & 15];
    }

    /** Whether these bytes are the text of the id in this record's header. */
    static boolean isAt(byte[] record, int offset, int length) {
        if (length > LONGEST) {
            return false;
        }
        long time = Bytes.getLong(record, 12);
        if (length != length(time)) {
            return false;
        }
        byte[] expected = new byte[LONGEST];
        put(expected, 0, time, Bytes.getLong(record, 4));
        return Arrays.equals(record, offset, offset + length, expected, 0, length);
    }

    private static int putNumber(byte[] to, int at, long value) {
        int end = at + digits(value);
        for (int k = end - 1; k >= at; k--) {
            to[k] = (byte) ('0' + value % 10);
            value /= 10;
        }
        return end;
    }

    private static int digits(long value) {
        if (value >= TEN_DIGITS) {
            return 10; // the seconds since 1970, until 2286
        }
        int count = 1;
        for (long power = 10; value >= power; power *= 10) {
            count++;
        }
        return count;
    }
}
