package dev.sluice.log;

import dev.sluice.model.InvalidInputException;

/** Steps over the fields of an encoded message. Whatever the bytes are, it reads them or refuses them. */
public final class WireReader {
    private final byte[] bytes;
    private final int end;
    private int at;
    private int field;
    private int type;
    private int offset;
    private int length;
    private long number;

    public WireReader(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.at = from;
        this.end = end;
    }

    /** Moves to the next field; false at the end. */
    public boolean next() {
        if (at == end) {
            return false;
        }
        int tag = bytes[at++];
        field = tag >>> 3;
        type = tag & 7;
        if (tag < 0 || field == 0) {
            throw bad("a field number it does not have");
        }
        switch (type) {
            case Wire.VARINT -> number = varint();
            case Wire.BYTES -> slice();
            default -> throw bad("a field of an unknown kind");
        }
        return true;
    }

    private void slice() {
        long size = varint();
        if (size < 0 || size > end - at) {
            throw bad("a field that is longer than the record");
        }
        offset = at;
        length = (int) size;
        at += length;
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at == end) {
                break;
            }
            byte next = bytes[at++];
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw bad("a number without end");
    }

    public int field() {
        return field;
    }

    /** Of a length-delimited field. */
    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    public long number() {
        return number;
    }

    public boolean isBytes() {
        return type == Wire.BYTES;
    }

    static InvalidInputException bad(String what) {
        return new InvalidInputException("an event record is damaged: it has " + what);
    }
}
