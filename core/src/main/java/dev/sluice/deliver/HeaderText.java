package dev.sluice.deliver;

import java.nio.charset.StandardCharsets;

/** Texts in headers, of HTTP and of NATS. */
public final class HeaderText {
    /** The header of HTTP that says, {@linkplain #of encoded}, which gateway a batch is for. */
    public static final String GATEWAY = "X-Sluice-Gateway";

    private HeaderText() {}

    /**
     * Printable ASCII as it is; a space, {@code %} and all others as their UTF-8 bytes, {@code %20}. So different texts
     * stay different, and most look like themselves.
     */
    public static String of(String text) {
        StringBuilder encoded = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (b > ' ' && b < 0x7f && b != '%') {
                encoded.append((char) b);
            } else {
                encoded.append(String.format("%%%02X", b & 0xff));
            }
        }
        return encoded.toString();
    }
}
