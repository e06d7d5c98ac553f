package dev.sluice.net;

/**
 * Where a server is asked to listen: {@code host:port}, {@code [ipv6]:port}, or {@code :port}, which means loopback
 * here, not every interface. Port 0 takes any free port.
 */
public record ListenAddress(String host, int port) {
    public static final String LOOPBACK = "127.0.0.1";

    public ListenAddress {
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port " + port + " is not between 0 and 65535");
        }
    }

    public static ListenAddress loopback(int port) {
        return new ListenAddress(LOOPBACK, port);
    }

    /** @throws IllegalArgumentException saying what an address looks like */
    public static ListenAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw bad(text);
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw bad(text);
        }
        return new ListenAddress(host.isEmpty() ? LOOPBACK : host, port(text, text.substring(colon + 1)));
    }

    private static int port(String text, String digits) {
        if (!digits.matches("[0-9]{1,5}")) {
            throw bad(text);
        }
        return Integer.parseInt(digits);
    }

    private static IllegalArgumentException bad(String text) {
        return new IllegalArgumentException("address '" + text + "' is not host:port, such as 127.0.0.1:50051");
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
