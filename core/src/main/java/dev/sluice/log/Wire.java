package dev.sluice.log;

/** Protobuf's wire encoding, as much of it as an event needs. Field numbers up to 15 have tags of one byte. */
public final class Wire {
    public static final int VARINT = 0;
    public static final int BYTES = 2;

    private Wire() {}

    public static int tag(int field, int type) {
        return field << 3 | type;
    }

    public static int varintSize(long value) {
        return value == 0 ? 1 : (70 - Long.numberOfLeadingZeros(value)) / 7;
    }

    /** Size of a length-delimited field with its tag; an empty one is left out. */
    public static int bytesFieldSize(int length) {
        return length == 0 ? 0 : 1 + varintSize(length) + length;
    }

    public static int putVarint(byte[] to, int at, long value) {
        while ((value & ~0x7FL) != 0) {
            to[at++] = (byte) (value | 0x80);
            value >>>= 7;
        }
        to[at++] = (byte) value;
        return at;
    }

    public static int putVarintField(byte[] to, int at, int field, long value) {
        to[at++] = (byte) tag(field, VARINT);
        return putVarint(to, at, value);
    }

    /** Tag and length; the bytes follow. */
    public static int putBytesHead(byte[] to, int at, int field, int length) {
        to[at++] = (byte) tag(field, BYTES);
        return putVarint(to, at, length);
    }
}
