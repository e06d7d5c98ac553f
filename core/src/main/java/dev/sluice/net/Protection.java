package dev.sluice.net;

/**
 * What stands between a listening socket and a stranger.
 *
 * @param tls the connection is encrypted
 * @param credential a client must show one
 * @param insecure somebody wrote {@code insecure: true} and takes the responsibility
 */
public record Protection(boolean tls, boolean credential, boolean insecure) {
    /** Enough for loopback, and for nothing else. */
    public static final Protection NONE = new Protection(false, false, false);

    boolean sufficesForStrangers() {
        return insecure || (tls && credential);
    }
}
