package dev.sluice.log;

/** Protobuf's wire encoding, as much of it as an event needs. Field numbers up to 15 have tags of one byte. */
final class Wire {
    static final int VARINT = 0;
    static final int BYTES = 2;

    private Wire() {}

    static int tag(int field, int type) {
        return field << 3 | type;
    }

    static int varintSize(long value) {
        return value == 0 ? 1 : (70 - Long.numberOfLeadingZeros(value)) / 7;
    }

    /** Size of a length-delimited field with its tag; an empty one is left out. */
    static int bytesFieldSize(int length) {
        return length == 0 ? 0 : 1 + varintSize(length) + length;
    }

    static int putVarint(byte[] to, int at, long value) {
        while ((value & ~0x7FL) != 0) {
            to[at++] = (byte) (value | 0x80);
            value >>>= 7;
        }
        to[at++] = (byte) value;
        return at;
    }

    static int putVarintField(byte[] to, int at, int field, long value) {
        to[at++] = (byte) tag(field, VARINT);
        return putVarint(to, at, value);
    }

    /** Tag and length; the bytes follow. */
    static int putBytesHead(byte[] to, int at, int field, int length) {
        to[at++] = (byte) tag(field, BYTES);
        return putVarint(to, at, length);
    }
}
