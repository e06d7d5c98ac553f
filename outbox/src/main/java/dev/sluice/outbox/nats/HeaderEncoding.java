package dev.sluice.outbox.nats;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collection;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/** Texts as headers of NATS, which take ASCII alone: in values anything else, and the percent sign, is percent-encoded UTF-8. */
final class HeaderEncoding {
    private static final Pattern NAME = Pattern.compile("[!-9;-~]+");
    private static final Pattern PLAIN = Pattern.compile("[ -$&-~]*");
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private HeaderEncoding() {}

    /** One that cannot be a header's name, if there is any. */
    static Optional<String> wrongName(Collection<String> names) {
        return names.stream().filter(name -> !NAME.matcher(name).matches()).findFirst();
    }

    static String encoded(String text) {
        if (PLAIN.matcher(text).matches()) {
            return text;
        }
        StringBuilder encoded = new StringBuilder(text.length() * 2);
        for (byte one : text.getBytes(UTF_8)) {
            if (one >= ' ' && one <= '~' && one != '%') {
                encoded.append((char) one);
            } else {
                encoded.append('%').append(HEX.toHexDigits(one));
            }
        }
        return encoded.toString();
    }
}
