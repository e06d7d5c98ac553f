package dev.sluice.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.bson.BsonSerializationException;

/** A position in raw BSON. Every read is checked against the end of the slice. */
final class BsonBytes {
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    final byte[] array;
    private final int end;
    private int at;

    BsonBytes(byte[] array, int offset, int length) {
        this.array = array;
        this.end = offset + length;
        this.at = offset;
    }

    int position() {
        return at;
    }

    /** Moves behind the next {@code length} bytes and returns where they start. */
    int take(int length) {
        if (length < 0 || length > end - at) {
            throw malformed("a value of " + length + " bytes at a place where " + (end - at) + " bytes are left");
        }
        int start = at;
        at += length;
        return start;
    }

    byte int8() {
        return array[take(1)];
    }

    int int32() {
        return (int) INTS.get(array, take(Integer.BYTES));
    }

    long int64() {
        return (long) LONGS.get(array, take(Long.BYTES));
    }

    /** Moves behind the next zero byte and returns where it is. */
    int takeThroughZero() {
        int zero = at;
        while (zero < end && array[zero] != 0) {
            zero++;
        }
        if (zero == end) {
            throw malformed("a name or pattern does not end");
        }
        at = zero + 1;
        return zero;
    }

    /** Moves behind a string with its length and its closing zero; returns where its text starts. */
    int takeString() {
        int length = int32();
        int start = take(length);
        if (length == 0 || array[start + length - 1] != 0) {
            throw malformed("a string does not end with a zero byte");
        }
        return start;
    }

    /** Fails unless the document or array whose length stands at {@code start} ends here. */
    void expectEnd(int start) {
        int size = (int) INTS.get(array, start);
        if (at - start != size) {
            throw malformed("a document or array says it has " + size + " bytes and has " + (at - start));
        }
    }

    static BsonSerializationException malformed(String how) {
        return new BsonSerializationException("malformed BSON: " + how);
    }
}
