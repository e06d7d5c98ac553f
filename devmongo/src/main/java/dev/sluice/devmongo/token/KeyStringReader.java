package dev.sluice.devmongo.token;

import dev.sluice.devmongo.CommandException;

/** Reads the leading values of a KeyString; refuses damage with the codes MongoDB 4.4 gave. */
final class KeyStringReader {
    private final byte[] bytes;
    private int at;

    KeyStringReader(byte[] bytes) {
        this.bytes = bytes;
    }

    long timestamp() {
        expect(KeyType.TIMESTAMP);
        return unsigned(8);
    }

    long whole() {
        int type = next();
        if (type == KeyType.ZERO) {
            return 0;
        }
        int width = type - KeyType.POSITIVE_1_BYTE + 1;
        if (width < 1 || width > 8) {
            throw unknownType(type);
        }
        return unsigned(width) >>> 1;
    }

    boolean bool() {
        int type = next();
        if (type != KeyType.FALSE && type != KeyType.TRUE) {
            throw unknownType(type);
        }
        return type == KeyType.TRUE;
    }

    /** The rest must hold the mark that ends every key; what lies between is the event's own identity. */
    void end() {
        if (at >= bytes.length || bytes[bytes.length - 1] != KeyStringWriter.END) {
            throw pastEnd(1);
        }
    }

    private void expect(int type) {
        int found = next();
        if (found != type) {
            throw unknownType(found);
        }
    }

    private int next() {
        return (int) unsigned(1);
    }

    private long unsigned(int width) {
        if (at + width > bytes.length) {
            throw pastEnd(width);
        }
        long value = 0;
        for (int i = 0; i < width; i++) {
            value = (value << 8) | (bytes[at++] & 0xFF);
        }
        return value;
    }

    private CommandException pastEnd(int wanted) {
        return new CommandException(
                15,
                "Overflow",
                "Invalid advance (%d) past end of buffer[%d] at offset: 0".formatted(wanted, bytes.length - at));
    }

    private static CommandException unknownType(int type) {
        return CommandException.location(50811, "KeyString format error: Unknown type: " + type);
    }
}
