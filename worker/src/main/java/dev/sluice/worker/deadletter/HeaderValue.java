package dev.sluice.worker.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;

/** Any text as the value of a header, which takes printable ASCII only: the rest becomes {@code %C3}, byte by byte. */
final class HeaderValue {
    private HeaderValue() {}

    static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length());
        byte[] bytes = text.getBytes(UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            byte b = bytes[i];
            boolean outerBlank = b == ' ' && (i == 0 || i == bytes.length - 1);
            if (b >= ' ' && b < 0x7f && b != '%' && !outerBlank) {
                encoded.append((char) b);
            } else {
                encoded.append(String.format("%%%02X", b & 0xff));
            }
        }
        return encoded.toString();
    }

    /** Also reads what {@link #encode} has not written: a percent sign without two digits stands for itself. */
    static String decode(String encoded) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        byte[] given = encoded.getBytes(UTF_8);
        for (int i = 0; i < given.length; i++) {
            int value = given[i] == '%' && i + 2 < given.length
                    ? Character.digit(given[i + 1], 16) * 16 + Character.digit(given[i + 2], 16)
                    : -1;
            boolean isCode = value >= 0 && Character.digit(given[i + 2], 16) >= 0;
            bytes.write(isCode ? value : given[i]);
            i += isCode ? 2 : 0;
        }
        return bytes.toString(UTF_8);
    }

    /** A header's name: no blank and no colon either. */
    static String encodeName(String name) {
        return encode(name).replace(" ", "%20").replace(":", "%3A");
    }
}
