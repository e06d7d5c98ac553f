package dev.sluice.devmongo.token;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonRegularExpression;
import org.bson.BsonValue;

/**
 * Writes values as MongoDB's KeyString does: bytes that compare as the values compare. Whole numbers, strings,
 * documents, object ids, binary and times are encoded as MongoDB encodes them; a number with a fraction keeps the order
 * but not MongoDB's exact bytes (tokens are opaque to clients).
 */
final class KeyStringWriter {
    static final int END = 0x04;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(64);

    KeyStringWriter timestamp(long value) {
        out.write(KeyType.TIMESTAMP);
        return bytes(value, 8);
    }

    KeyStringWriter bool(boolean value) {
        out.write(value ? KeyType.TRUE : KeyType.FALSE);
        return this;
    }

    KeyStringWriter whole(long value) {
        if (value == 0) {
            out.write(KeyType.ZERO);
            return this;
        }
        return magnitude(value < 0, Math.abs(value), false, 0);
    }

    /** The magnitude shifted left by one; the lowest bit says that a fraction follows. Negatives are inverted. */
    private KeyStringWriter magnitude(boolean negative, long whole, boolean hasFraction, long fractionBits) {
        long shifted = (whole << 1) | (hasFraction ? 1 : 0);
        int width = Math.max(1, (64 - Long.numberOfLeadingZeros(shifted) + 7) / 8);
        out.write(negative ? KeyType.NEGATIVE_1_BYTE - (width - 1) : KeyType.POSITIVE_1_BYTE + (width - 1));
        bytes(negative ? ~shifted : shifted, width);
        return hasFraction ? bytes(negative ? ~fractionBits : fractionBits, 8) : this;
    }

    private KeyStringWriter fractional(double value) {
        double magnitude = Math.abs(value);
        if (Double.isNaN(value) || magnitude >= 0x1p62) {
            out.write(Double.isNaN(value) ? KeyType.NAN : value < 0 ? KeyType.NEGATIVE_LARGE : KeyType.POSITIVE_LARGE);
            long bits = Double.doubleToLongBits(magnitude);
            return bytes(value < 0 ? ~bits : bits, 8);
        }
        long whole = (long) magnitude;
        return magnitude(value < 0, whole, true, Double.doubleToLongBits(magnitude - whole));
    }

    KeyStringWriter object(BsonDocument document) {
        out.write(KeyType.OBJECT);
        document.forEach((name, value) -> {
            out.write(KeyType.of(value));
            cString(name);
            value(value);
        });
        out.write(0);
        return this;
    }

    KeyStringWriter value(BsonValue value) {
        switch (value.getBsonType()) {
            case INT32, INT64 -> whole(value.asNumber().longValue());
            case DOUBLE, DECIMAL128 -> number(value.asNumber().doubleValue());
            case STRING -> string(value.asString().getValue());
            case SYMBOL -> string(value.asSymbol().getSymbol());
            case DOCUMENT -> object(value.asDocument());
            case ARRAY -> array(value);
            case BINARY -> binary(value.asBinary());
            case OBJECT_ID -> tagged(value, value.asObjectId().getValue().toByteArray());
            case BOOLEAN -> bool(value.asBoolean().getValue());
            case DATE_TIME -> {
                out.write(KeyType.DATE);
                bytes(value.asDateTime().getValue() ^ Long.MIN_VALUE, 8);
            }
            case TIMESTAMP -> timestamp(value.asTimestamp().getValue());
            case REGULAR_EXPRESSION -> regex(value.asRegularExpression());
            case JAVASCRIPT -> tagged(value, terminated(value.asJavaScript().getCode()));
            default -> out.write(KeyType.of(value));
        }
        return this;
    }

    private void number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 0x1p62) {
            whole((long) value);
        } else {
            fractional(value);
        }
    }

    private void array(BsonValue value) {
        out.write(KeyType.ARRAY);
        value.asArray().forEach(this::value);
        out.write(0);
    }

    private void string(String value) {
        out.write(KeyType.STRING);
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        for (byte b : utf8) {
            out.write(b);
            if (b == 0) {
                out.write(0xFF);
            }
        }
        out.write(0);
    }

    private void regex(BsonRegularExpression value) {
        out.write(KeyType.REGEX);
        cString(value.getPattern());
        cString(value.getOptions());
    }

    private void binary(BsonBinary value) {
        out.write(KeyType.BINARY);
        int size = value.getData().length;
        if (size < 0xFF) {
            out.write(size);
        } else {
            out.write(0xFF);
            bytes(size, 4);
        }
        out.write(value.getType());
        out.writeBytes(value.getData());
    }

    private void tagged(BsonValue value, byte[] content) {
        out.write(KeyType.of(value));
        out.writeBytes(content);
    }

    private static byte[] terminated(String text) {
        return (text + "\0").getBytes(StandardCharsets.UTF_8);
    }

    private void cString(String text) {
        out.writeBytes(terminated(text));
    }

    private KeyStringWriter bytes(long value, int width) {
        for (int shift = (width - 1) * 8; shift >= 0; shift -= 8) {
            out.write((int) (value >>> shift));
        }
        return this;
    }

    String endHex() {
        out.write(END);
        return HEX.formatHex(out.toByteArray());
    }
}
