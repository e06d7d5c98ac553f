package dev.sluice.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Numbers and text in byte arrays. */
final class Bytes {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LITTLE_INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private Bytes() {}

    static long getLong(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    static void putLong(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    static int getLittleInt(byte[] bytes, int at) {
        return (int) LITTLE_INT.get(bytes, at);
    }

    static boolean isUtf8(byte[] bytes, int offset, int length) {
        for (int k = offset; k < offset + length; k++) {
            if (bytes[k] < 0) {
                return decodes(bytes, offset, length);
            }
        }
        return true;
    }

    private static boolean decodes(byte[] bytes, int offset, int length) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, offset, length));
            return true;
        } catch (CharacterCodingException notText) {
            return false;
        }
    }
}
