package dev.sluice.server.cluster;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Addresses such as {@code nats://user:password@host:4222} taken apart, so that what is named in messages has no password
 * in it. User and password may be percent-encoded; those of the last address that has them count.
 */
record ServerAddresses(
        List<String> addresses,
        @Nullable String user,
        @Nullable String password) {
    static ServerAddresses of(List<String> texts) {
        List<String> addresses = new ArrayList<>();
        String user = null;
        String password = null;
        for (String text : texts) {
            int host = text.indexOf("://") + "://".length();
            int at = text.lastIndexOf('@');
            if (host < "://".length() || at < host) {
                addresses.add(text);
                continue;
            }
            addresses.add(text.substring(0, host) + text.substring(at + 1));
            String[] credentials = text.substring(host, at).split(":", 2);
            user = decode(credentials[0]);
            password = credentials.length == 2 ? decode(credentials[1]) : "";
        }
        return new ServerAddresses(addresses, user, password);
    }

    /** A plus is a plus in an address, other than in a form. */
    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return String.join(",", addresses);
    }
}
